import JSON
import Octets
import ProgramSupport
import TapScenarios
import Transcripts

/// What the taps of one run have in common, so that a run goes on only where it was interrupted: the place, the
/// capabilities and the amounts.
struct RunSettings: Sendable {
  let link: TestedLink
  /// Those of the terminal; nil when they are not known.
  let capabilities: TestedCapabilities?

  /// Adds the settings of a tap to its recording.
  func note(in transcript: inout Transcript, of file: ScenarioFile, _ number: Int) {
    transcript[.link] = link.name
    transcript[.capabilities] = capabilities?.json.compact
    transcript[.amount] = file.amount(ofTap: number, at: capabilities)
  }

  /// Checks the recordings of an earlier run before the first tap. Reports on standard error how many of them are judged
  /// again, how many taps are made again, and how many of them this run does not have. A tap is made again when its
  /// recording has no profile of the card: the profile is left out when the card is no shipped test card.
  ///
  /// - Throws: `InputError` for the first tap that was made with other settings.
  func check(_ earlier: TestRecordings, _ items: [ScenarioRunner.Item], in directory: String) throws {
    var (found, again) = (0, 0)
    for (file, count) in items where file.scenario.terminalTest != nil {
      for number in 1...count {
        guard let recording = earlier.recording(of: file, number) else { continue }
        if let difference = difference(recording.transcript, file, number) {
          throw InputError(
            description: "\(recording.path) was made with \(difference): go on with the same settings, use another "
              + "directory, or begin anew with --force", exit: .notRight)
        }
        if earlier.known(file, number) == nil { again += 1 } else { found += 1 }
      }
    }
    report(found, again, others: earlier.count - found - again, in: directory)
  }

  private func report(_ found: Int, _ again: Int, others: Int, in directory: String) {
    var note =
      "Going on with the run that \(directory) holds: \(found.counted("tap")) that it has "
      + "\(found == 1 ? "is" : "are") judged again and not made."
    if again > 0 {
      note +=
        " \(again.counted("tap")) \(again == 1 ? "is" : "are") made again, since "
        + "\(again == 1 ? "its recording has" : "their recordings have") no profile of the card."
    }
    if others > 0 { note += " It also has \(others.counted("tap")) that this run does not make." }
    Console.note(note)
  }

  /// The first setting that differs, in words; nil when none does.
  private func difference(_ recorded: Transcript, _ file: ScenarioFile, _ number: Int) -> String? {
    if recorded[.link] != link.name { return "--link \(recorded[.link] ?? "of an unknown name"), not \(link.name)" }
    if recorded[.capabilities] != capabilities?.json.compact {
      return recorded[.capabilities] == nil ? "no --capabilities" : "other --capabilities"
    }
    let amount = file.amount(ofTap: number, at: capabilities)
    if let amount, recorded[.amount] != amount {
      return "the amount \(recorded[.amount] ?? "of an unknown value"), not \(amount)"
    }
    return recorded[.card] != nil && TerminalTap(recorded, of: file, number) == nil ? "another card" : nil
  }
}

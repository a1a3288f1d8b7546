import ProgramSupport
import TapScenarios
import Transcripts
import WholeFiles

/// The recordings of terminal tests in a directory, by scenario and tap.
struct TerminalRecordings: Sendable {
  private let directory: String
  private let recordings: [String: (transcript: Transcript, path: String)]

  /// Reads every recording of the directory that a terminal test has made.
  ///
  /// - Throws: `FileError` for a directory that cannot be read or has no recording, `InputError` for a recording that
  ///   cannot be read.
  init(_ directory: String) throws {
    self.directory = directory
    var found: [String: (transcript: Transcript, path: String)] = [:]
    for path in try RecordingTree.files([directory]) {
      let transcript = try RecordingFile.transcript(at: path)
      guard let test = transcript[.test], let tap = transcript[.tap] else { continue }
      found["\(test) \(tap)"] = (transcript, path)
    }
    recordings = found
  }

  /// The recordings of an earlier run; nil for a directory that does not exist or has none of terminal tests.
  ///
  /// - Throws: `InputError` for a recording that cannot be read: a new run would write over the others.
  static func earlier(in directory: String) throws -> TerminalRecordings? {
    do {
      let earlier = try TerminalRecordings(directory)
      return earlier.recordings.isEmpty ? nil : earlier
    } catch is FileError {
      return nil
    }
  }

  /// The recording of a tap, and its file; nil without one, and for one of another card.
  func known(_ file: ScenarioFile, _ number: Int) -> (tap: TerminalTap, path: String)? {
    guard let id = file.scenario.terminalTest?.id, let found = recordings["\(id) \(number)"],
      let tap = TerminalTap(found.transcript, of: file, number)
    else { return nil }
    return (tap, found.path)
  }

  /// The recording of a tap that must exist.
  ///
  /// - Throws: `InputError` without one, and for one of another card.
  func tap(of file: ScenarioFile, _ number: Int) throws -> TerminalTap {
    if let known = known(file, number) { return known.tap }
    let id = file.scenario.terminalTest?.id ?? file.path
    throw InputError(description: "\(directory) has no recording of \(id), tap \(number), with this card")
  }
}

import ArgumentParser
import EMVIssuer
import Octets
import ProgramSupport
import PaymentSimulation
import TapScenarios
import Transcripts

/// Replays transcripts against this build.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay transcripts against this build, either side.",
    help: CommandHelp(
      """
      A transcript reproduces when this build sends what was recorded and ends as recorded; a transcript that \
      was cut off does not. All files are replayed, and of a directory all transcripts in it (.txt). \
      Recordings of other tools are recognised, and standard error names their format.
      """,
      examples: [
        "tap replay tap.txt": "Compare this build with a recording, byte by byte.",
        "tap replay recordings --fail-fast": "Replay the recordings of a folder, up to the first difference.",
      ],
      exits: [
        .done: "all reproduce",
        .notRight: "at least one differs or cannot be replayed",
        .error: "a file cannot be read",
      ],
      related: ["tap-accept", "tap-convert"]))

  @Argument(
    help: ArgumentHelp(
      "Transcripts, as tap accept --record and tap present --record write them, or directories of them.",
      valueName: "file"),
    completion: FileCompletion.named())
  var files: [String]
  @Option(
    help: ArgumentHelp(
      """
      The card profile for recordings of the card's side, which hold none unless the card is a test card. Responses are \
      then compared without cardholder data.
      """, valueName: "file"), completion: FileCompletion.card)
  var card: String?
  @OptionGroup var issuer: IssuerKeyOptions
  @Flag(help: "End at the first transcript that does not reproduce.")
  var failFast = false
  @OptionGroup var verbosity: Verbosity
  @Option(help: "How results are printed: text, json (a line for each file) or junit (XML).")
  var format = TestFormat.text

  func run() async throws {
    var results: [ReplayResult] = []
    let (clock, start) = (SystemClock(), SystemWallClock().now)
    let (files, setup) = try prepared()
    let bar = ProgressBar(of: files.count, "recordings")
    defer { bar.end() }
    for file in files {
      let begun = clock.now
      var result = try await replayed(file, setup)
      result.time = clock.now - begun
      try emit(result)
      results.append(result)
      // Text has a line for each recording.
      if format != .text { bar.show(results.count) }
      if failFast, result.verdict != .reproduced { break }
    }
    bar.end()
    if format == .junit { Console.write(JUnitReport("tap replay", results.map(\.testCase), at: start).text) }
    if results.count > 1 { Console.note(summary(results)) }
    let exit = Exit(of: results.map(\.exit))
    if exit != .done { throw exit.code }
  }

  /// The card and its issuer, for recordings of the card's side.
  private typealias Setup = (card: [UInt8]?, keys: IssuerKeys)

  private func prepared() throws -> ([String], Setup) {
    do {
      // A profile with problems is found before the first recording.
      if let card { _ = try CardFiles.card(card) }
      let setup = (card: try card.map { try CardFiles.profile($0) }, keys: try issuer.keys() ?? .publicTest)
      return (try RecordingTree.files(files.map { NamedFile.path($0) }), setup)
    } catch {
      throw Console.fail(error)
    }
  }

  private func replayed(_ file: String, _ setup: Setup) async throws -> ReplayResult {
    let transcript: Transcript
    do {
      transcript = try RecordingFile.transcript(at: file)
    } catch {
      // Every line begins with the name of the file.
      let message = "\(error)".replacing("\(file): ", with: "", maxReplacements: 1)
      return ReplayResult(file: file, verdict: .reproduced).failed(.unusable, message, Exit(error))
    }
    let tap = TranscriptReplay(transcript, terminal: ShippedTerminal.profile, card: setup.card, keys: setup.keys)
    var result = ReplayResult(file: file, verdict: .reproduced)
    (result.role, result.exchanges) = (tap.role.rawValue, transcript.exchanges.count)
    guard !tap.lacksCard else {
      return result.failed(
        .unusable,
        "the recording has no card profile: only recordings of test cards keep it. Name the profile with --card FILE")
    }
    do throws(ReplayError) {
      for note in try await tap.replay().notes { Console.note("\(file): \(note)") }
    } catch {
      result = result.failed(error.isDifference ? .different : .unusable, "\(error)")
      if verbosity.verbose, error.isDifference { result.exchangeLines = try lines(of: transcript, at: error) }
    }
    return result
  }

  /// The recorded exchange that differs, or all exchanges.
  private func lines(of transcript: Transcript, at error: ReplayError) throws -> [String] {
    let number: Int? = if case .different(let difference) = error { difference.exchange } else { nil }
    return try TranscriptText(Disclosure(showsAll: false)).lines(transcript, only: Set([number].compactMap { $0 }))
  }

  private func emit(_ result: ReplayResult) throws {
    switch format {
    case .json: try Console.print(json: result.json)
    case .text:
      guard !verbosity.quiet || result.verdict != .reproduced else { break }
      Console.print(result.line)
      result.exchangeLines.forEach { Console.print("  \($0)") }
    case .junit: break
    }
  }

  private func summary(_ results: [ReplayResult]) -> String {
    let counts = ReplayResult.Verdict.allCases.map { verdict in
      "\(results.count { $0.verdict == verdict }) \(verdict.rawValue)"
    }
    return "\(results.count.counted("recording")): \(counts.joined(separator: ", "))"
  }
}

import ArgumentParser
import Octets
import TapReplay
import TapScenarios
import Transcripts

/// Replays transcripts against this build.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay transcripts against this build, either side.",
    discussion: """
      A transcript reproduces when this build sends what was recorded and ends as recorded; a transcript that was cut \
      off does not. All files are replayed, and of a directory all transcripts in it (.txt). Recordings of other tools \
      are recognised, and standard error names their format: send/resp scripts, req/res lists, bare lines, >> and << \
      logs. Exit codes: 0 all reproduce; 1 at least one differs; 2 none differs, but a file cannot be used.
      """)

  @Argument(
    help: ArgumentHelp(
      "Transcripts, as tap accept --record and tap present --record write them, or directories of them.",
      valueName: "file"),
    completion: .file())
  var files: [String]
  @Flag(help: "End at the first transcript that does not reproduce.")
  var failFast = false
  @Option(help: "How results are printed: text, json (a line for each file) or junit (XML).")
  var format = TestFormat.text

  func run() async throws {
    var results: [ReplayResult] = []
    let clock = SystemClock()
    for file in try recordings() {
      let begun = clock.now
      var result = await replayed(file)
      result.time = clock.now - begun
      try emit(result)
      results.append(result)
      if failFast, result.verdict != .reproduced { break }
    }
    if format == .junit { Console.print(JUnitReport("tap replay", results.map(\.testCase)).text) }
    if results.count > 1 { Console.note(summary(results)) }
    if results.contains(where: { $0.verdict == .different }) { throw ExitCode(1) }
    if results.contains(where: { $0.verdict == .unusable }) { throw ExitCode(2) }
  }

  private func recordings() throws -> [String] {
    do {
      return try RecordingTree.files(files)
    } catch {
      throw Console.fail("\(error)", ExitCode(2))
    }
  }

  private func replayed(_ file: String) async -> ReplayResult {
    let transcript: Transcript
    do {
      transcript = try RecordingFile.transcript(at: file)
    } catch {
      // Every line begins with the name of the file.
      let message = "\(error)".replacing("\(file): ", with: "", maxReplacements: 1)
      return ReplayResult(file: file, verdict: .unusable, message: message)
    }
    let tap = RecordedTap(transcript, terminal: ShippedTerminal.profile)
    var result = ReplayResult(file: file, verdict: .reproduced)
    (result.role, result.exchanges) = (tap.role.rawValue, transcript.exchanges.count)
    do throws(ReplayError) {
      for note in try await tap.replay().notes { Console.note("\(file): \(note)") }
      return result
    } catch {
      return result.failed(error.isDifference ? .different : .unusable, "\(error)")
    }
  }

  private func emit(_ result: ReplayResult) throws {
    switch format {
    case .json: try Console.print(json: result)
    case .text: Console.print(result.line)
    case .junit: break
    }
  }

  private func summary(_ results: [ReplayResult]) -> String {
    let counts = ReplayResult.Verdict.allCases.map { verdict in
      "\(results.count { $0.verdict == verdict }) \(verdict.rawValue)"
    }
    return "\(results.count) recordings: \(counts.joined(separator: ", "))"
  }
}

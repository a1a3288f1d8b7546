import ArgumentParser
import TapReplay
import Transcripts

/// Replays transcripts against this build; ends at the first that does not reproduce.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay transcripts against this build, either side.",
    discussion: """
      A transcript reproduces when this build sends what was recorded and ends as recorded; a transcript that was cut \
      off does not. Recordings of other tools are recognised, and standard error names their format: send/resp \
      scripts, req/res lists, bare lines, >> and << logs. Exit codes: 0 all reproduce; 1 at the first difference; 2 a \
      file that cannot be used.
      """)

  @Argument(
    help: ArgumentHelp("Transcripts, as tap accept --record and tap present --record write them.", valueName: "file"),
    completion: .file())
  var files: [String]
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  private struct Line: Encodable {
    let file: String
    let result: String
    let role: String?
    let exchanges: Int?
    let message: String?
  }

  func run() async throws {
    for file in files {
      let transcript: Transcript
      do {
        transcript = try RecordingFile.transcript(at: file)
      } catch {
        // Every line begins with the name of the file.
        let message = "\(error)".replacing("\(file): ", with: "", maxReplacements: 1)
        try emit(Line(file: file, result: "unusable", role: nil, exchanges: nil, message: message))
        throw ExitCode(2)
      }
      try await replay(transcript, file)
    }
  }

  private func replay(_ transcript: Transcript, _ file: String) async throws {
    let tap = RecordedTap(transcript, terminal: ShippedTerminal.profile)
    let line = { (result: String, message: String?) in
      Line(
        file: file, result: result, role: tap.role.rawValue, exchanges: transcript.exchanges.count, message: message)
    }
    do throws(ReplayError) {
      let report = try await tap.replay()
      for note in report.notes { Console.note("\(file): \(note)") }
    } catch {
      try emit(line(error.isDifference ? "different" : "unusable", "\(error)"))
      throw error.isDifference ? ExitCode(1) : ExitCode(2)
    }
    try emit(line("reproduced", nil))
  }

  private func emit(_ line: Line) throws {
    switch format {
    case .json: try Console.print(json: line)
    case .text:
      let detail = line.message.map { ": \($0)" } ?? line.exchanges.map { ", \($0) exchanges" } ?? ""
      Console.print("\(line.file): \(line.result)\(detail)")
    }
  }
}

import ArgumentParser
import Transcripts

/// Replay transcripts against this build, either side; fails at the first difference.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay transcripts against this build, either side.",
    discussion: """
      Recordings of other tools are recognised: send/resp scripts, req/res lists, bare lines, >> and << logs; standard \
      error says which. Exit codes: 0 all reproduce; 1 at the first difference; 2 a file that cannot be used.
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
    let role = transcript.role ?? .terminal
    let line = { (result: String, message: String?) in
      Line(
        file: file, result: result, role: role.rawValue, exchanges: transcript.exchanges.count, message: message)
    }
    do {
      switch role {
      case .terminal: try TerminalReplay(transcript, named: file).run()
      case .card: try await CardSideReplay(transcript).run()
      }
      try emit(line("reproduced", nil))
    } catch let error as ReplayFailure {
      try emit(line("different", error.description))
      throw ExitCode(1)
    } catch let difference as TranscriptDifference {
      try emit(line("different", difference.description))
      throw ExitCode(1)
    } catch {
      try emit(line("unusable", "\(error)"))
      throw ExitCode(2)
    }
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

import ArgumentParser
import Transcripts

/// A recording without cardholder data.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Mask account numbers, track data and names in a recording.",
    discussion: """
      Lengths and structure stay, and one account number becomes one substitute throughout; those of test cards too. A \
      JSON transcript or scriptor script stays one; every other recording that tap convert reads becomes our own text. \
      Exit codes: 0 masked; 1 the result cannot be written; 2 the recording cannot be read.
      """)

  @Argument(help: ArgumentHelp("The recording; standard input when -.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("What the recording is written in; guessed when left out.", valueName: "syntax"))
  var from: SyntaxName?
  @OptionGroup var destination: OutputOptions

  func run() throws {
    let imported = try RecordingFile.read(file, as: from?.syntax)
    let target: ConvertCommand.Target =
      switch imported.syntax {
      case .json: .json
      case .scriptorScript: .scriptor
      default: .dump
      }
    let octets = ConvertCommand.octets(imported.transcript.redacted(), as: target)
    try RecordingFile.write(octets, to: destination.output, force: destination.force)
  }
}

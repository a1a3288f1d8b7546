import ArgumentParser
import ProgramSupport
import RecordingFormats
import Transcripts

/// Masks the cardholder data of a recording.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Mask account numbers, track data and names in a recording.",
    help: CommandHelp(
      """
      Lengths and structure stay, and each account number becomes the same substitute throughout, those of \
      test cards too. A JSON transcript or scriptor script stays one; every other recording that tap convert \
      reads becomes a dump, the text of this project.
      """,
      examples: [
        "tap redact tap.txt -o publishable.txt": "Mask a recording before it is published."
      ],
      exits: [
        .done: "masked",
        .notRight: "the recording has no known form",
        .error: "it cannot be read, or the result cannot be written",
      ],
      related: ["tap-convert"]))

  @Argument(
    help: ArgumentHelp("The recording; standard input when -.", valueName: "file"), completion: FileCompletion.named())
  var file: String
  @Option(help: ArgumentHelp("The format of the recording; guessed when left out.", valueName: "format"))
  var from: ReadableFormat?
  @OptionGroup var destination: OutputOptions

  func run() throws {
    let imported = try RecordingFile.read(file, as: from?.format)
    let redacted = imported.transcript.redacted()
    try destination.writeAndReport(imported.format.write?(redacted) ?? Array(redacted.text.utf8))
  }
}

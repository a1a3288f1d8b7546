import ArgumentParser
import ProgramSupport
import RecordingFormats
import Transcripts

/// Converts a recording to another format.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert recordings from and to the formats of other tools.",
    discussion: """
      Reads transcripts, logs of pcscd -a, pcsc-spy, libnfc (LIBNFC_LOG_LEVEL=3), apdu4j, cardpeek, pyscard, scriptor \
      and opensc-tool, Proxmark traces and others; the format is guessed and named on standard error. dump is the text of \
      this project, which apdu4j replays; pcapng (link type 264, ISO 14443) opens in Wireshark; scriptor is a script of \
      the commands. \
      Account numbers, track data and names are masked unless every account number is that of a shipped test card. \
      Exit codes: 0 converted; 2 the recording has no known form; 1 it cannot be read, or the result cannot be written.
      """)

  @Argument(help: ArgumentHelp("The recording; standard input when -.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("The format of the recording; guessed when left out.", valueName: "format"))
  var from: ReadableFormat?
  @Option(help: ArgumentHelp("The format of the result.", valueName: "format"))
  var to: WritableFormat
  @OptionGroup var destination: OutputOptions
  @Flag(help: "Keep account numbers, track data and names.")
  var unredacted = false

  func run() throws {
    let imported = try RecordingFile.read(file, as: from?.format)
    try Console.reportingErrors {
      try destination.write(to.write(Disclosure(showsAll: unredacted).shown(imported.transcript)))
    }
  }
}

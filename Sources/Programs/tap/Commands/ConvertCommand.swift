import ArgumentParser
import ProgramSupport
import RecordingFormats
import Transcripts

/// Converts a recording to another format.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert recordings from and to the formats of other tools.",
    help: CommandHelp(
      """
      Reads transcripts and the logs of any program that names a direction before the bytes, such as pcscd -a, \
      GlobalPlatformPro, OpenSC, scriptor, pyscard or a phone; logs of pcsc-spy, libnfc (LIBNFC_LOG_LEVEL=3) and \
      cardpeek; Proxmark traces; captures of ISO 14443, of USB readers and of SIM cards. The format is guessed and \
      named on standard error, with the number of lines that are no part of an exchange. \
      dump is the text of this project, which apdu4j replays; pcapng (link type 264, ISO 14443) opens in \
      Wireshark; scriptor is a script of the commands. Account numbers, track data and names are masked unless \
      every account number is that of a shipped test card.
      """,
      examples: [
        "tap convert pcscd.log --to dump -o imported.txt": "Make a recording of a log of pcscd -a.",
        "tap convert tap.txt --to pcapng -o tap.pcapng": "Make a capture for Wireshark.",
      ],
      exits: [
        .done: "converted",
        .notRight: "the recording has no known form",
        .error: "it cannot be read, or the result cannot be written",
      ],
      related: ["tap-replay", "tap-redact"]))

  @Argument(
    help: ArgumentHelp("The recording; standard input when -.", valueName: "file"), completion: FileCompletion.named())
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
      try destination.writeAndReport(to.write(Disclosure(showsAll: unredacted).shown(imported.transcript)))
    }
  }
}

import ArgumentParser
import Transcripts

/// A recording in another syntax.
struct ConvertCommand: ParsableCommand {
  enum Target: String, ExpressibleByArgument, CaseIterable {
    case dump
    case json
    case pcapng
    case scriptor
  }

  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert recordings of other tools, and for them.",
    discussion: """
      Reads transcripts, logs of pcscd -a, pcsc-spy, libnfc (LIBNFC_LOG_LEVEL=3), apdu4j, cardpeek, pyscard, scriptor \
      and opensc-tool, Proxmark traces and others; standard error says which it was taken for. dump is our own text, \
      which apdu4j replays; pcapng (link type 264, ISO 14443) opens in Wireshark; scriptor is a script of the commands. \
      Account numbers, track data and names are masked unless every account number is that of a shipped test card. \
      Exit codes: 0 converted; 1 the result cannot be written; 2 the recording cannot be read.
      """)

  @Argument(help: ArgumentHelp("The recording; standard input when -.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("What the recording is written in; guessed when left out.", valueName: "syntax"))
  var from: SyntaxName?
  @Option(help: ArgumentHelp("What to make of it.", valueName: "format"))
  var to: Target
  @OptionGroup var destination: OutputOptions
  @Flag(help: "Keep account numbers, track data and names.")
  var unredacted = false

  func run() throws {
    let imported = try RecordingFile.read(file, as: from?.syntax)
    let disclosure: Disclosure
    do {
      disclosure = try Disclosure(showsAll: unredacted)
    } catch {
      throw Console.fail("\(error)")
    }
    let octets = Self.octets(disclosure.shown(imported.transcript), as: to)
    try RecordingFile.write(octets, to: destination.output, force: destination.force)
  }

  static func octets(_ transcript: Transcript, as target: Target) -> [UInt8] {
    switch target {
    case .dump: Array(transcript.text.utf8)
    case .json: Array(transcript.json.utf8)
    case .scriptor: Array(transcript.scriptor.utf8)
    case .pcapng: transcript.pcapng
    }
  }
}

import ArgumentParser
import CardExploration
import EMVData
import ISO7816
import Links
import Octets
import ProgramSupport
import Transcripts
import POSIX

/// The options of commands that exchange APDUs with a card or take a payment.
struct CardOptions: ParsableArguments {
  @Option(
    name: .customLong("reader"),
    help: ArgumentHelp(
      "Where the card is: \(PlaceKind.forms); \(DefaultPlace.help(DefaultPlace.readerVariable)).", valueName: "reader"),
    completion: ReaderName.defaultCompletionKind)
  var chosenReader: ReaderName?
  @Option(help: ArgumentHelp("How long to wait for a card, in seconds: 1 to 3600.", valueName: "seconds"))
  var timeout = 60
  @Option(help: ArgumentHelp("Record the exchanges.", valueName: "file"), completion: .file())
  var record: String?
  @Flag(help: "Write over files that exist.")
  var force = false
  @Flag(help: "Write recordings and reports of cards that are no test cards with their account numbers.")
  var unredacted = false
  @Flag(help: "Show account numbers and track data of cards that are no test cards.")
  var unmasked = false

  func validate() throws {
    _ = try reader
    try require("--timeout", timeout, in: 1...3600)
  }

  /// The reader of the option, or that of the environment.
  var reader: ReaderName {
    get throws { try DefaultPlace.needed(chosenReader, else: DefaultPlace.readerVariable, for: "--reader") }
  }

  /// The longest wait for a card.
  var waitLimit: Duration { .seconds(timeout) }

  /// Prints exchanges in a format: JSON is one document at the end.
  func printer(as format: OutputFormat) throws -> ExchangePrinter {
    ExchangePrinter(try Disclosure(showsAll: unmasked), isSilent: format == .json)
  }

  /// Opens the reader, after the recording's file was checked.
  func open() async throws -> CardPlace {
    try recordFile?.check()
    let reader = try reader
    return try await reader.kind.card(reader.name)
  }

  /// Checks that a command can be sent at the reader.
  ///
  /// - Throws: `FileError` for a command of class FF at a place that is no PC/SC reader.
  func check(_ command: [UInt8]) throws {
    let reader = try reader
    guard command.first == 0xFF, !reader.kind.takesReaderCommands else { return }
    throw InputError(
      description:
        "\(SecretCommands.blanked(command).prefix(8).hex): class FF is for a PC/SC reader, and no card has it; "
        + "\(reader.kind.prefix):\(reader.name) is no PC/SC reader",
      code: .malformed)
  }

  /// Writes the recording and prints what is left to print.
  ///
  /// - Throws: `ExitCode` after the message of a failure.
  func finish(
    _ recording: Recording, _ printer: ExchangePrinter, _ failure: LinkError?, as format: OutputFormat
  ) throws {
    // The recording is written first: a closed output ends the program while it prints.
    let written = Result { try write(recording.transcript) }
    let disclosure = try Disclosure(showsAll: unmasked)
    let shown = disclosure.shown(recording.transcript)
    if format == .json {
      let mask = disclosure.mask(of: recording.transcript)
      try Console.print(json: JSONObject(shown, causes: printer.causes, failure: failure), hiding: mask)
    }
    for number in shown.substituteNumbers {
      Console.note("account number \(number.exposedDigits) is a substitute; --unmasked shows that of the card")
    }
    try written.get()
    if let failure { throw Console.fail(failure) }
  }

  /// Names a card with a memory and without commands, which its reader describes in the answer to reset.
  func noteStorageCard(in transcript: Transcript) {
    guard let card = try? AnswerToReset(parsing: transcript.identity.answerToReset).storageCard else { return }
    Console.note("the card is of another kind: \(card)")
  }

  /// Writes the recording, if one was asked for.
  func write(_ transcript: Transcript) throws {
    try recordFile?.writeAndReport(Disclosure(showsAll: unredacted).shown(transcript).text.utf8)
  }

  /// The file of the recording, or nil.
  var recordFile: OutputFile? { record.map { OutputFile(path: $0, isReplaced: force) } }
}

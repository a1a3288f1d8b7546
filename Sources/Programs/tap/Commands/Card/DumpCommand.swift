import ArgumentParser
import CardExploration
import EMVData
import ISO7816
import JSON
import Links
import Octets
import ProgramSupport
import Transcripts
import POSIX

/// Reads everything that a card gives without a payment.
struct DumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Read everything that a card gives without a payment.",
    help: CommandHelp(
      """
      Selects the directory and each application, asks for the data objects of GET DATA, and reads the transaction log and \
      records. \
      Most contactless cards give their records only after GET PROCESSING OPTIONS, which --processing-options \
      sends with an amount of zero: it advances the card's transaction counter. A profile draft has no keys, \
      and the account numbers of cards that are no test cards are replaced in it.
      """,
      examples: [
        "tap dump --reader pcsc:ACR122U --record dump.txt": "Read the card at a reader, and record the exchanges.",
        "tap dump --reader loopback:card.json --processing-options --profile draft.json":
          "Read the records too, and write what was read as a card profile.",
      ],
      exits: [
        .done: "read",
        .notRight: "no application was found, or the card left",
        .notReached: "no card or reader was reached",
        .error: "a file cannot be read or written",
      ],
      environment: [.reader],
      related: ["tap-shell", "tap-card"]))

  @OptionGroup var card: CardOptions
  @Option(
    help: ArgumentHelp("A further application, by its AID in hexadecimal; may be given again.", valueName: "aid"))
  var aid: [String] = []
  @Flag(help: "Send GET PROCESSING OPTIONS and read the records that its response lists.")
  var processingOptions = false
  @Option(
    help: ArgumentHelp("Write a card profile with what was read; needs --processing-options.", valueName: "file"),
    completion: .file())
  var profile: String?
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  func validate() throws {
    for name in aid {
      guard let octets = try? [UInt8](hex: name), AID.counts.contains(octets.count) else {
        throw ValidationError("--aid \(name): 5 to 16 bytes in hexadecimal are needed, such as A0000000031010.")
      }
    }
    try require(
      profile == nil || processingOptions,
      "--profile needs --processing-options: without its answer a profile has no AIP and no AFL.")
  }

  func run() async throws {
    try await Console.reportingErrors(as: format) {
      try profileFile?.check()
      let applications = try aid.map { try [UInt8](hex: $0) }
      let place = try await card.open()
      let dump = try await place.visit(
        CardDump(
          applications: applications, sendsOptions: processingOptions, observer: try card.printer(as: format)),
        timeout: card.waitLimit)
      let recording = dump.exchanges.recording
      let written = Result { try writeProfile(recording.transcript) }
      try card.finish(recording, dump.observer, dump.failure, as: format)
      try written.get()
      let names = recording.transcript.selectedApplications
      Console.note(
        "\(names.count.counted("application")): \(names.map(\.hex).joined(separator: ", "))")
      card.noteStorageCard(in: recording.transcript)
      if names.isEmpty { throw Exit.notRight.code }
    }
  }

  private var profileFile: OutputFile? { profile.map { OutputFile(path: $0, isReplaced: card.force) } }

  private func writeProfile(_ transcript: Transcript) throws {
    guard let profileFile else { return }
    let shown = try Disclosure(showsAll: card.unredacted).shown(transcript)
    let draft = ProfileDraft(shown)
    for number in shown.substituteNumbers {
      Console.note(
        "profile draft: account number \(number.exposedDigits) is a substitute; --unredacted writes that of the card")
    }
    for note in draft.notes { Console.note("profile draft: \(note)") }
    guard let json = draft.json else {
      throw InputError(
        description: "\(profileFile.path) was not written: no application gave enough for a profile", exit: .notRight)
    }
    try profileFile.writeAndReport((json.pretty + "\n").utf8)
  }
}

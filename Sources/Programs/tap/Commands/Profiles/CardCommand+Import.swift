import ArgumentParser
import CardExploration
import EMVData
import JSON
import Octets
import POSIX
import ProfileAuthoring
import ProgramSupport
import RecordingFormats
import Transcripts

extension CardCommand {
  /// Makes a profile of a card that another tool has saved or recorded.
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Make a card profile of a card that another tool has saved or recorded.",
      help: CommandHelp(
        """
        Reads any recording that tap convert reads, such as a log of pcscd or a Proxmark's emv scan, and cards saved by \
        Flipper (.nfc). What is missing or assumed is named on standard error. A profile has no keys, and the account number \
        and the name of a card that is no test card are replaced in it. Dumps of storage cards hold no payment card.
        """,
        examples: [
          "tap card import card.nfc -o mine.json": "Make a profile of a card that Flipper has saved.",
          "tap card import pcscd.log -o mine.json": "Make a profile of what a log shows of a card.",
        ],
        exits: [
          .done: "written",
          .notRight: "the file holds too little for a profile, or is of another kind of card",
          .error: "the file cannot be read, or the profile cannot be written",
        ],
        related: ["tap-dump", "tap-convert"]))

    @Argument(
      help: ArgumentHelp("The saved card or the recording; standard input when -.", valueName: "file"),
      completion: FileCompletion.named())
    var file: String
    @OptionGroup var destination: OutputOptions
    @Flag(help: "Keep the account number and the name of a card that is no test card.")
    var unredacted = false

    func run() throws {
      try Console.reportingErrors {
        let octets = try file == "-" ? InputFile.standardInput() : NamedFile.read(file)
        let name = file == "-" ? "standard input" : file
        let made =
          try SavedCard(parsing: octets).map { try profile(of: $0, name) } ?? profile(ofRecording: octets, name)
        try destination.writeAndReport((made.pretty + "\n").utf8.map(\.self))
      }
    }

    /// The profile of a card of which a file holds some values.
    private func profile(of card: SavedCard, _ name: String) throws -> JSONValue {
      Console.note("\(name): \(card.title)")
      if let refusal = card.refusal { throw InputError(description: "\(name): \(refusal)", code: .cardProfile) }
      guard let application = card.application else {
        throw InputError(description: "\(name): it holds no application (AID)", code: .cardProfile)
      }
      let kernel = PaymentScheme.of(application)?.kernel
      guard let shipped = New.schemes.first(where: { $0.kernel == kernel }) else {
        let schemes = New.schemes.map(\.name).joined(separator: ", ")
        throw InputError(
          description:
            "\(name): the application \(application.hex) is of no scheme that has a shipped card: \(schemes)",
          code: .cardProfile)
      }
      let isKept = try card.accountNumber.map { try Disclosure(showsAll: unredacted).shows($0) } ?? false
      let made: (profile: JSONValue, notes: [String])
      do {
        made = try card.profile(on: shipped.profile, named: shipped.name, keepsHolder: isKept)
      } catch let failure as ProfileTemplate.Failure {
        throw InputError(description: "\(name): account number: \(failure)", code: .cardProfile)
      } catch {
        throw InputError("\(name): ", error)
      }
      if card.accountNumber != nil, !isKept {
        Console.note("\(name): the account number is that of the shipped card; --unredacted writes that of the file")
      }
      made.notes.forEach { Console.note("\(name): \($0)") }
      return made.profile
    }

    private func profile(ofRecording octets: [UInt8], _ name: String) throws -> JSONValue {
      let imported: ImportedTranscript
      do {
        imported = try ImportedTranscript(parsing: octets)
      } catch {
        throw InputError(
          description: "\(name): \(error) (cards saved by Flipper\(RecordingFile.triedFormats) were tried)",
          code: .transcript)
      }
      let transcript = try Disclosure(showsAll: unredacted).shown(RecordingFile.report(imported, named: name))
      let draft = ProfileDraft(transcript)
      for number in transcript.substituteNumbers {
        Console.note(
          "\(name): account number \(number.exposedDigits) is a substitute; --unredacted writes that of the card")
      }
      for note in draft.notes { Console.note("\(name): \(note)") }
      guard let json = draft.json else {
        throw InputError(
          description:
            "\(name): no application gave enough for a profile: SELECT of an application, GET PROCESSING OPTIONS "
            + "and its records are needed", code: .cardProfile)
      }
      return json
    }
  }
}

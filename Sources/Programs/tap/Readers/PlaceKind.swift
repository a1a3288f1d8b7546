import ArgumentParser
import CardExploration
import EMVIssuer
import Links
import PaymentAcceptance
import ProgramSupport
import ReaderKinds
import TapScenarios

/// A kind of place that READER can name: a reader, a card in this process, or a recording.
struct PlaceKind: Sendable {
  /// The word before the colon.
  let prefix: String
  /// What stands behind the colon, as the help shows it.
  let placeholder: String
  /// What it is, for the help; nil when the name says so.
  var remark: String?
  /// Whether the card is in this process, so that it can have faults.
  var hasOwnCard = false
  /// Whether it is a device of the machine, to which a person brings a card.
  var isDevice = false
  /// Whether its card is recorded: a directory then has a recording for each tap of a scenario.
  var isRecorded = false
  /// Whether commands of class FF have a meaning here: a PC/SC reader answers them itself.
  var takesReaderCommands = false
  /// Opens a place by the text behind the colon.
  let open: @Sendable (_ name: String, _ options: ReaderOptions) async throws -> any PaymentPlace
  /// Opens a place for commands without a payment.
  let card: @Sendable (_ name: String) async throws -> CardPlace

  /// All kinds, in the order of the help.
  static let all = (ReaderKind.all.map(PlaceKind.init) + [.loopback, .replay]).sorted { $0.prefix < $1.prefix }

  /// All forms with their remarks, for the help of an option.
  static var forms: String {
    let forms = all.map { "\($0.prefix):\($0.placeholder)" + ($0.remark.map { " (\($0))" } ?? "") }
    return "\(forms.dropLast().joined(separator: ", ")) or \(forms.last ?? "")"
  }
}

extension PlaceKind {
  /// The kind of the readers of a library.
  init(_ kind: ReaderKind) {
    let reader: @Sendable (String) -> any CardReader = { name in
      AttendedReader(kind.reader(name) { Console.note($0) })
    }
    self.init(
      prefix: kind.prefix, placeholder: kind.placeholder, remark: kind.remark, isDevice: true,
      takesReaderCommands: kind.takesReaderCommands,
      open: { name, options in ReaderPlace(reader(name)) { ShippedCards.host(options.keys) } },
      card: { CardPlace(reader($0)) })
  }
}

/// What a command asks of a reader beside its name.
struct ReaderOptions: Sendable {
  /// The number of payments for which a card in this process has keys.
  var payments = 1
  /// How faults of a card in this process are reported; nil for a card without faults.
  var faults: OutputFormat?
  /// Whether the cardholder of a card in this process is verified.
  var isVerified = true
  /// The keys of the issuer, also of a card in this process; nil for those of the test issuer.
  var keys: IssuerKeys?
}

/// READER: where the card is.
struct ReaderName: ExpressibleByArgument, Sendable {
  let kind: PlaceKind
  let name: String

  init(_ kind: PlaceKind, _ name: String) { (self.kind, self.name) = (kind, name) }

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let kind = PlaceKind.all.first(where: { $0.prefix == parts[0] }) else {
      return nil
    }
    self.init(kind, String(parts[1]))
  }

  static var allValueStrings: [String] { PlaceKind.all.map { "\($0.prefix):\($0.placeholder)" } }

  /// The recordings of a scenario in a directory; nil for every other place.
  func recordings(of file: ScenarioFile) throws -> [String]? {
    kind.isRecorded ? try RecordingDirectory.recordings(at: NamedFile.path(name), of: file) : nil
  }

  /// Opens the reader, as far as that is done before the first payment.
  func open(_ options: ReaderOptions) async throws -> any PaymentPlace { try await kind.open(name, options) }
}

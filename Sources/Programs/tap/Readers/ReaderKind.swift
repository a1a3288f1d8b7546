import ArgumentParser
import CardExploration
import EMVIssuer
import PaymentAcceptance
import PaymentSimulation
import TapScenarios

/// A kind of reader that READER can name. Each kind is one value in `all`.
struct ReaderKind: Sendable {
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
  /// Whether commands of class FF have a meaning here: a PC/SC reader answers them itself.
  var takesReaderCommands = false
  /// Opens a reader by the text behind the colon.
  let open: @Sendable (_ name: String, _ options: ReaderOptions) async throws -> any PaymentPlace
  /// Opens a reader for commands without a payment.
  let card: @Sendable (_ name: String) async throws -> CardPlace
  /// Returns the taps of a scenario when the text behind the colon names a number of them, and nil when it names one
  /// reader, which takes as many as are asked for.
  var series: @Sendable (_ name: String, _ file: ScenarioFile) throws -> TapSeries? = { _, _ in nil }

  /// All kinds, in the order of the help.
  static let all: [ReaderKind] = [.acr122, .loopback, .nfc, .pcsc, .replay]

  /// All forms with their remarks, for the help of an option.
  static var forms: String {
    let forms = all.map { "\($0.prefix):\($0.placeholder)" + ($0.remark.map { " (\($0))" } ?? "") }
    return "\(forms.dropLast().joined(separator: ", ")) or \(forms.last ?? "")"
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

/// The taps of a scenario at a reader.
struct TapSeries: Sendable {
  /// How many there are: 1 or more; nil for as many as are asked for.
  let count: Int?
  /// Opens the reader.
  let open: @Sendable (_ options: ReaderOptions) async throws -> any PaymentPlace
}

/// READER: where the card is.
struct ReaderName: ExpressibleByArgument, Sendable {
  let kind: ReaderKind
  let name: String

  init(_ kind: ReaderKind, _ name: String) { (self.kind, self.name) = (kind, name) }

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let kind = ReaderKind.all.first(where: { $0.prefix == parts[0] }) else {
      return nil
    }
    self.init(kind, String(parts[1]))
  }

  static var allValueStrings: [String] { ReaderKind.all.map { "\($0.prefix):\($0.placeholder)" } }

  /// The taps of a scenario at the reader, which is not opened yet.
  func series(for file: ScenarioFile) throws -> TapSeries {
    try kind.series(name, file) ?? TapSeries(count: nil) { try await open($0) }
  }

  /// Opens the reader, as far as that is done before the first payment.
  func open(_ options: ReaderOptions) async throws -> any PaymentPlace { try await kind.open(name, options) }
}

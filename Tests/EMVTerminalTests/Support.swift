import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import Synchronization
import Testing

// Swift Testing has a type of this name as well.
typealias Tag = ISO7816.Tag

/// The result of one tap.
struct Tap {
  var outcome: PaymentOutcome
  var failures: [StepFailure]
  var commands: [CommandAPDU]
  var phases: [TransactionPhase]
  var commandCount: Int
}

enum Terminals {
  static func profile(_ name: String = "attended-eur") throws -> JSONValue {
    try JSONValue(parsing: Fixtures.data("Terminals/\(name).json"))
  }

  /// The shipped profile with all kernels, with some of its applications and currencies only.
  static func allKernels(_ applications: Range<Int>, in currencies: [String] = ["EUR", "USD"]) throws -> JSONValue {
    let profile = try profile("all-kernels")
    func limited(_ values: JSONValue?, by key: String) -> JSONValue {
      JSONValue((values?.list ?? []).filter { currencies.contains($0[key]?.text ?? "") })
    }
    let chosen = (profile["applications"]?.list ?? [])[applications]
    return profile.setting("currencies", to: limited(profile["currencies"], by: "name"))
      .setting(
        "applications", to: JSONValue(chosen.map { $0.setting("limits", to: limited($0["limits"], by: "currency")) }))
  }

  /// A shipped profile with other values at some paths; null removes a key.
  static func configuration(
    _ name: String = "attended-eur", setting changes: KeyValuePairs<String, JSONValue> = [:]
  ) throws -> TerminalConfiguration {
    try TerminalConfiguration(changes.reduce(profile(name)) { $0.setting($1.key, to: $1.value) })
  }

  // swift-format-ignore: NeverForceUnwrap
  static let date = TransactionDate(year: 2026, month: 11, day: 20)!
  // swift-format-ignore: NeverForceUnwrap
  static let time = TransactionTime(hour: 9, minute: 5, second: 59)!
  static let unpredictableNumber: [UInt8] = [0x12, 0x4D, 0x3D, 0xCA]

  static func request(
    _ amount: String = "12.34", _ code: String = "EUR", _ configuration: TerminalConfiguration,
    type: TransactionType = .purchase, amountOther: String? = nil
  ) throws -> PaymentRequest {
    let currency = try #require(configuration.currency(code))
    return PaymentRequest(
      amount: try Amount(amount, exponent: currency.exponent), currency: currency, type: type, date: date, time: time,
      amountOther: try amountOther.map { try Amount($0, exponent: currency.exponent) })
  }

  /// Takes a payment from a card.
  static func tap(
    _ card: inout CardDouble, _ amount: String = "12.34", _ code: String = "EUR",
    _ configuration: TerminalConfiguration? = nil
  ) throws -> Tap {
    try tap(amount, code, configuration) { card.answer($0) }
  }

  /// Takes a payment from a Mastercard card.
  static func tap(
    _ card: inout MastercardDouble, _ amount: String = "12.34", _ code: String = "EUR",
    _ configuration: TerminalConfiguration? = nil, elapsed: Duration = .milliseconds(5)
  ) throws -> Tap {
    try tap(amount, code, configuration, elapsed: elapsed) { card.answer($0) }
  }

  /// Takes a payment from anything that answers commands.
  static func tap(
    _ amount: String = "12.34", _ code: String = "EUR", _ configuration: TerminalConfiguration? = nil,
    elapsed: Duration = .milliseconds(5), answering answer: (CommandAPDU) -> ResponseAPDU
  ) throws -> Tap {
    let configuration = try configuration ?? self.configuration()
    var transaction = try TerminalTransaction(
      request(amount, code, configuration), configuration: configuration, random: Numbers())
    var commands: [CommandAPDU] = []
    var phases: [TransactionPhase] = []
    var step = transaction.start()
    while case .transmit(let command, let phase) = step {
      commands.append(command)
      phases.append(phase)
      step = transaction.receive(answer(command), elapsed: elapsed)
    }
    guard case .outcome(let outcome) = step else { throw Unreachable() }
    return Tap(
      outcome: outcome, failures: transaction.failures, commands: commands, phases: phases,
      commandCount: transaction.commandCount)
  }

  struct Unreachable: Error {}
}

/// Unpredictable numbers in a given order, then numbers that count up.
final class Numbers: RandomSource {
  private let numbers: Mutex<(given: ArraySlice<[UInt8]>, drawn: Int)>

  init(_ numbers: [UInt8]...) {
    self.numbers = Mutex((numbers.isEmpty ? [Terminals.unpredictableNumber] : numbers[...], 0))
  }

  /// How many numbers were drawn.
  var drawn: Int { numbers.withLock { $0.drawn } }

  func octets(_ count: Int) -> [UInt8] {
    numbers.withLock { numbers in
      numbers.drawn += 1
      return numbers.given.popFirst() ?? [0xA0, 0xA1, 0xA2, UInt8(truncatingIfNeeded: numbers.drawn)]
    }
  }
}

extension TerminalTransaction {
  /// Finishes an online request for which the kernel does not need the card.
  mutating func finish(_ verdict: HostResponse.Verdict) throws -> PaymentOutcome {
    guard case .outcome(let outcome) = finish(HostResponse(verdict)) else { throw Terminals.Unreachable() }
    return outcome
  }
}

extension PreparedCombination {
  /// Tag 9F66 for the payment.
  var qualifiers: TerminalTransactionQualifiers {
    data[0x9F66].flatMap { TerminalTransactionQualifiers(octets: $0) } ?? []
  }
}

extension AuthorizationRequest {
  /// The view of a mag-stripe payment.
  var magStripe: MagStripeData? { MagStripeData(self) }
}

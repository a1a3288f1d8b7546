import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

// Testing has a type of this name, too.
typealias Tag = ISO7816.Tag

/// What came of one tap.
struct Tap {
  var outcome: PaymentOutcome
  var failures: [StepFailure]
  var commands: [CommandAPDU]
  var phases: [TransactionPhase]
  var commandCount: Int
}

enum Terminals {
  static func profile(_ name: String = "attended-eur") throws -> TerminalProfile {
    try TerminalProfile(json: Fixtures.data("Terminals/\(name).json"))
  }

  static func configuration(
    _ name: String = "attended-eur", _ change: (inout TerminalProfile) -> Void = { _ in }
  ) throws -> TerminalConfiguration {
    var profile = try profile(name)
    change(&profile)
    return try TerminalConfiguration(profile)
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

  /// Taps a card.
  static func tap(
    _ card: inout CardDouble, _ amount: String = "12.34", _ code: String = "EUR",
    _ configuration: TerminalConfiguration? = nil
  ) throws -> Tap {
    try tap(amount, code, configuration) { card.answer($0) }
  }

  /// Taps a Mastercard card.
  static func tap(
    _ card: inout MastercardDouble, _ amount: String = "12.34", _ code: String = "EUR",
    _ configuration: TerminalConfiguration? = nil, elapsed: Duration = .milliseconds(5)
  ) throws -> Tap {
    try tap(amount, code, configuration, elapsed: elapsed) { card.answer($0) }
  }

  /// Taps anything that answers.
  static func tap(
    _ amount: String = "12.34", _ code: String = "EUR", _ configuration: TerminalConfiguration? = nil,
    elapsed: Duration = .milliseconds(5), answering answer: (CommandAPDU) -> ResponseAPDU
  ) throws -> Tap {
    let configuration = try configuration ?? self.configuration()
    var transaction = try TerminalTransaction(
      request(amount, code, configuration), configuration: configuration, unpredictableNumber: unpredictableNumber)
    var commands: [CommandAPDU] = []
    var phases: [TransactionPhase] = []
    var step = transaction.start()
    while case .transmit(let command, let phase) = step {
      commands.append(command)
      phases.append(phase)
      let fresh = transaction.needsUnpredictableNumber ? [0xA0, 0xA1, 0xA2, UInt8(commands.count)] : []
      step = transaction.receive(answer(command), elapsed: elapsed, unpredictableNumber: fresh)
    }
    guard case .outcome(let outcome) = step else { throw Unreachable() }
    return Tap(
      outcome: outcome, failures: transaction.failures, commands: commands, phases: phases,
      commandCount: transaction.commandCount)
  }

  struct Unreachable: Error {}
}

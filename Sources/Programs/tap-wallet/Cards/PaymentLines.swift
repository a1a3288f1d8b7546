import ArgumentParser
import ContactlessPayment
import EMVTerminal
import JSON
import Octets
import PaymentAcceptance
import PaymentPrograms
import ProgramSupport

extension TransactionContext {
  /// What the card knows of the payment, as members of an event.
  var members: [(String, JSONValue?)] {
    [
      ("card", JSONValue(digitalCardID)), ("aid", JSONValue("\(aid)")), ("amount", amount.map { JSONValue("\($0)") }),
      ("currency", currencyCode.isEmpty ? nil : JSONValue(String(currencyCode.hex.suffix(3)))),
      ("transactionCounter", JSONValue(Int(transactionCounter))),
    ]
  }
}

extension WalletRun.Success {
  /// The end of a payment at the terminal of loopback.
  ///
  /// - Throws: `CommandFailure` unless the issuer approved.
  init(_ result: PaymentResult, isIssuerReached: Bool) throws(CommandFailure) {
    let receipt: PaymentReceipt
    do throws(AcceptanceFailure) {
      receipt = try result.get()
    } catch { throw CommandFailure("terminal", of: error) }
    let reason: String? =
      switch receipt.answer?.decision {
      case .declined(let reason), .unknownCard(let reason): reason
      case .approved, nil: nil
      }
    switch receipt.outcome.kind {
    case .approved:
      self.init(
        members: [("outcome", "approved"), ("authorizationCode", receipt.authorizationCode.map { JSONValue($0) })],
        text: "approved")
    case .declined: throw CommandFailure("declined", reason ?? "the terminal declined the payment", .notRight)
    case let kind:
      throw CommandFailure(
        "\(kind)", reason ?? "the payment ended with \(kind.rawValue)", isIssuerReached ? kind.exit : .notReached)
    }
  }
}

extension CommandFailure {
  /// - Parameter hasBegun: Whether a terminal had come.
  init(_ error: ContactlessPaymentSession.Error, hasBegun: Bool = false) {
    let remedy =
      switch error {
      case .authenticationKeyInvalidated: Self.wipedRemedy
      case .noDefaultCard: " with tap-wallet cards add"
      default: ""
      }
    self.init(error.name, "\(error)\(remedy)", hasBegun ? error.exit.ofBegunPayment : error.exit)
  }
}

extension Message {
  /// What an event of a payment is in a journal; nil for an event that is no message.
  init?(_ event: ContactlessPaymentSession.Event) {
    switch event {
    case .authenticationRequired: self.init(WalletRun.name, to: Message.holder, "asks for the finger or the passcode")
    case .authenticationCompleted: self.init(Message.holder, to: WalletRun.name, "is verified")
    case .posConnected: self.init(PayTerminal.name, to: WalletRun.name, "tap: commands to the card")
    default: return nil
    }
  }
}

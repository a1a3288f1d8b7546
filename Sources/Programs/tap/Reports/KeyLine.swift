import ContactlessPayment
import EMVCard

/// The keys of a card of a wallet, as a line.
struct KeyLine: Encodable {
  struct Keys: Encodable {
    let application: String
    let kind: String
    let paymentsLeft: Int
    let expires: String?
    let isExpired: Bool
  }

  let card: String
  let paymentsLeft: Int
  let threshold: Int
  let needsReplenishment: Bool
  let keys: [Keys]

  init(_ card: DigitalCard) {
    self.card = card.id
    paymentsLeft = card.paymentsLeft
    threshold = card.replenishmentThreshold
    needsReplenishment = card.needsReplenishment
    keys = card.keys.map { status in
      Keys(
        application: "\(card.image.applications[status.application].aid)", kind: status.kind.argument,
        paymentsLeft: status.paymentsLeft, expires: status.expiry.map(ExpiryDate.text), isExpired: status.isExpired)
    }
  }

  /// The lines of text.
  var text: String {
    let head =
      "\(card): \(paymentsLeft) left, threshold \(threshold)\(needsReplenishment ? ", needs replenishment" : "")"
    let lines = keys.map { keys in
      let expiry = keys.expires.map { ", \(keys.isExpired ? "expired" : "expires") \($0)" } ?? ""
      return "  \(keys.application): \(keys.kind), \(keys.paymentsLeft) left\(expiry)"
    }
    return ([head] + lines).joined(separator: "\n")
  }
}

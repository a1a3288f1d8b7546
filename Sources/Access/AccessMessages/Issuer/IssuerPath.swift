/// The paths of the cards of a wallet. Each request has the header `Device-Signature` and the session of the wallet.
public enum CardPath {
  /// GET: the cards of the device. POST: adds a card and delivers it with its first keys.
  public static let cards = "/wallet/v1/cards"
  /// POST: delivers further keys of a card.
  public static func keys(_ card: String) -> String { "\(cards)/\(card)/keys" }
  /// GET: the payments of a card, newest first.
  public static func payments(_ card: String) -> String { "\(cards)/\(card)/payments" }
}

/// The paths of the issuer for terminals. The cryptogram of the card authenticates a payment.
public enum IssuerPath {
  /// POST: asks for the authorisation of a payment.
  public static let authorizations = "/issuer/v1/authorizations"
}

extension OperatorPath {
  /// GET with `?after=`: lists cards.
  public static let cards = "/operator/v1/cards"
  /// PATCH: suspends or resumes a card.
  public static func card(_ id: String) -> String { "\(cards)/\(id)" }
  /// GET: the orders of issuer scripts for a card. POST: orders one.
  public static func scripts(_ card: String) -> String { "\(cards)/\(card)/scripts" }
  /// DELETE: cancels an order.
  public static func script(_ card: String, _ order: String) -> String { "\(scripts(card))/\(order)" }
}

internal import Synchronization

/// The numbers that a simulation gives the cards of servers, in the order in which phones receive them.
final class CardRegister: Sendable {
  /// The number of the first card of a server. The cards of the test issuer have the numbers of their phones.
  static let first = 100
  /// The identifier of the card of the test issuer in each wallet.
  static let testCard = "card"

  private let identifiers = Mutex<[String]>([])

  /// The number of a card, which is a new one for a new card.
  func number(of id: String) -> Int {
    identifiers.withLock { known in
      if let place = known.firstIndex(of: id) { return Self.first + place }
      known.append(id)
      return Self.first + known.count - 1
    }
  }

  /// The identifiers of all cards.
  var all: [String] { identifiers.withLock(\.self) }
}

public import ISO7816

/// One change that an issuer's script makes in a card (EMV 4.4 Book 3, 6.5).
///
/// A wallet stores changes and not the state that they lead to: two payments of one card, in two processes, each start from the
/// state at their reservation, and the later one must not undo what the issuer has changed through the other.
public enum CardStateChange: Equatable, Sendable {
  /// APPLICATION BLOCK, with the position of the application in the image.
  case blockApplication(Int)
  /// APPLICATION UNBLOCK, with the position of the application in the image.
  case unblockApplication(Int)
  /// CARD BLOCK.
  case blockCard
  /// PUT DATA: the value of a tag, and the position of the application in the image.
  case putData(Tag, [UInt8], application: Int)

  /// Whether a copy of the card from before the change may have more rights.
  package var isCounted: Bool {
    switch self {
    case .blockApplication, .blockCard, .putData: true
    case .unblockApplication: false
    }
  }

  /// Whether the change takes from the card the right to pay.
  public var isBlock: Bool {
    switch self {
    case .blockApplication, .blockCard: true
    case .unblockApplication, .putData: false
    }
  }
}

extension CardState {
  /// Makes a change. A change of an application that the card does not have has no effect.
  public mutating func apply(_ change: CardStateChange) {
    switch change {
    case .blockCard: isBlocked = true
    case .blockApplication(let index): update(index) { $0.isBlocked = true }
    case .unblockApplication(let index): update(index) { $0.isBlocked = false }
    case .putData(let tag, let value, let index): update(index) { $0.data[tag] = value }
    }
  }

  private mutating func update(_ index: Int, _ change: (inout Application) -> Void) {
    if applications.indices.contains(index) { change(&applications[index]) }
  }
}

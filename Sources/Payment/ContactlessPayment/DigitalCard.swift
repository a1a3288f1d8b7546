public import EMVCard

/// A card in a wallet, as its holder sees it.
public struct DigitalCard: Sendable {
  /// Whether a card may pay.
  public enum State: String, Sendable, CaseIterable {
    /// May pay.
    case active
    /// Not yet activated by its issuer.
    case inactive
    /// Stopped for a while.
    case suspended
    /// Stopped for good.
    case retired
  }

  /// The wallet's name for the card: 1...64 characters.
  public let id: String
  /// What it answers terminals with.
  public let image: CardImage
  /// Whether it may pay.
  public let state: State
  /// Whether it pays when no card is chosen.
  public let isDefault: Bool
  /// How many payments its keys are still good for, reserved ones left out.
  public let paymentsLeft: Int

  /// Describes a card, for a store.
  public init(id: String, image: CardImage, state: State, isDefault: Bool, paymentsLeft: Int) {
    self.id = id
    self.image = image
    self.state = state
    self.isDefault = isDefault
    self.paymentsLeft = paymentsLeft
  }
}

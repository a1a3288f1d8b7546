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
  /// The directory (PPSE) that the wallet wants in the place of the image's own: the response to its selection without
  /// a status word; nil for the image's.
  public let customDirectory: [UInt8]?
  /// What the wallet adds to the issuer application data, tag 9F10, of its payments; nil for nothing.
  public let walletData: [UInt8]?

  /// Describes a card, for a store.
  public init(
    id: String, image: CardImage, state: State, isDefault: Bool, paymentsLeft: Int, customDirectory: [UInt8]? = nil,
    walletData: [UInt8]? = nil
  ) {
    self.id = id
    self.image = image
    self.state = state
    self.isDefault = isDefault
    self.paymentsLeft = paymentsLeft
    self.customDirectory = customDirectory
    self.walletData = walletData
  }
}

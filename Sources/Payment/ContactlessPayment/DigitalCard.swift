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

  /// The threshold of a card for which none was chosen: 2 payments.
  public static let standardReplenishmentThreshold = 2

  /// The wallet's name for the card: 1...64 characters, none of them a control character.
  public let id: String
  /// What it answers terminals with.
  public let image: CardImage
  /// Whether it may pay.
  public let state: State
  /// Whether it pays when no card is chosen.
  public let isDefault: Bool
  /// How many payments its keys are still good for: the least of its applications. Reserved and expired ones are left
  /// out.
  public let paymentsLeft: Int
  /// The keys of its applications, in the order in which they came.
  public let keys: [PaymentKeyStatus]
  /// The card needs replenishment when so many payments are left, or fewer.
  public let replenishmentThreshold: Int
  /// For each application the lowest transaction counter above all that was used or provisioned: 1...65536, where 65536
  /// says that there is none.
  public let freeCounters: [Int]
  /// The directory (PPSE) that the wallet wants in the place of the image's own: the response to its selection without
  /// a status word; nil for the image's.
  public let customDirectory: [UInt8]?
  /// What the wallet adds to the issuer application data, tag 9F10, of its payments; nil for nothing.
  public let walletData: [UInt8]?

  /// Describes a card, for a store.
  public init(
    id: String, image: CardImage, state: State, isDefault: Bool, keys: [PaymentKeyStatus] = [],
    replenishmentThreshold: Int = standardReplenishmentThreshold, freeCounters: [Int] = [],
    customDirectory: [UInt8]? = nil, walletData: [UInt8]? = nil
  ) {
    self.id = id
    self.image = image
    self.state = state
    self.isDefault = isDefault
    self.keys = keys
    self.replenishmentThreshold = replenishmentThreshold
    self.freeCounters = freeCounters
    self.customDirectory = customDirectory
    self.walletData = walletData
    paymentsLeft =
      image.applications.indices.map { application in
        keys.reduce(0) { $0 + ($1.application == application ? $1.paymentsLeft : 0) }
      }.min() ?? 0
  }

  /// Whether its issuer should be asked for keys: no more payments are left than the threshold says. An expired key
  /// counts as no key.
  public var needsReplenishment: Bool { paymentsLeft <= replenishmentThreshold }
}

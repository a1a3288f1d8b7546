public import EMVCard

/// A card in a wallet, as its cardholder sees it.
public struct DigitalCard: Sendable {
  /// Whether a card may pay.
  public enum State: String, Sendable, CaseIterable {
    /// May pay.
    case active
    /// Not yet activated by its issuer.
    case inactive
    /// Stopped until it is resumed.
    case suspended
    /// Stopped for good.
    case retired
  }

  /// The default threshold: 2 payments.
  public static let standardReplenishmentThreshold = 2

  /// The limit of the wallet's part of tag 9F10: 14 bytes.
  public static let maximumWalletDataCount = Arming.maximumWalletDataCount

  /// The wallet's name for the card: 1...64 characters, none of them a control character.
  public let id: String
  /// The number that its store gave it, and gives no other card: a card that was removed and another with its name have
  /// different numbers. 0 for a card outside of a store.
  public let number: Int64
  /// The origin of its issuer's server, such as `https://example.org:8443`; nil for a card that no server issued.
  public let issuer: String?
  /// The data with which it answers terminals.
  public let image: CardImage
  /// Whether it may pay.
  public let state: State
  /// Whether it pays when no card is chosen. A retired card is never the default.
  public let isDefault: Bool
  /// The number of payments that its keys allow: the lowest number among its applications. Reserved uses and expired
  /// keys are not counted.
  public let paymentsLeft: Int
  /// The keys of its applications, in the order in which they were added.
  public let keys: [PaymentKeyStatus]
  /// For each application the kind of the keys that were added last, also when they are used up.
  public let keyKinds: [PaymentKeyKind]
  /// The card needs replenishment when this many payments are left, or fewer.
  public let replenishmentThreshold: Int
  /// For each application the lowest transaction counter above all that were used or provisioned: 1...65536, where
  /// 65536 means that no counter is left.
  public let freeCounters: [Int]
  /// The directory (PPSE) that replaces the image's own: the response to its selection without a status word. Nil keeps
  /// the image's.
  public let customDirectory: [UInt8]?
  /// The wallet's part of the issuer application data, tag 9F10, of its payments; nil adds nothing.
  public let walletData: [UInt8]?

  /// What its issuer and earlier payments have changed in it.
  public let cardState: CardState
  /// For each application the payments without the issuer that are counted since it was authenticated: those that were approved,
  /// and those of reservations that are not settled.
  public let offline: [OfflineApprovals]

  /// Describes a card. For stores.
  public init(
    id: String, image: CardImage, state: State, isDefault: Bool, keys: [PaymentKeyStatus] = [],
    keyKinds: [PaymentKeyKind] = [], replenishmentThreshold: Int = standardReplenishmentThreshold,
    freeCounters: [Int] = [], customDirectory: [UInt8]? = nil, walletData: [UInt8]? = nil, number: Int64 = 0,
    issuer: String? = nil, cardState: CardState? = nil, offline: [OfflineApprovals]? = nil
  ) {
    self.id = id
    self.number = number
    self.issuer = issuer
    self.image = image
    self.state = state
    self.isDefault = isDefault
    self.keys = keys
    self.keyKinds = keyKinds
    self.replenishmentThreshold = replenishmentThreshold
    self.freeCounters = freeCounters
    self.customDirectory = customDirectory
    self.walletData = walletData
    let state = cardState ?? CardState(of: image)
    self.cardState = state
    self.offline = offline ?? state.applications.map(\.offline)
    paymentsLeft =
      image.applications.indices.map { application in
        keys.reduce(0) { $0 + ($1.application == application ? $1.paymentsLeft : 0) }
      }.min() ?? 0
  }

  /// Whether its issuer should be asked for keys: the number of payments left is at the threshold or below. Expired
  /// keys are not counted.
  public var needsReplenishment: Bool { paymentsLeft <= replenishmentThreshold }
}

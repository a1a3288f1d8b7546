public import Octets

/// How long a payment key serves.
public enum PaymentKeyKind: String, Sendable, CaseIterable {
  /// A master key of the card, good for a number of payments.
  case limitedUse
  /// A session key that is ready, good for the one payment with its counter.
  case singleUse
}

/// What an issuer provisioned for one application at once. Several batches may lie in a wallet: the oldest one that is
/// valid pays.
public enum PaymentKeys: Sendable {
  /// The most single-use keys in one batch: each lies in locked memory of its own until a store has it.
  public static let maximumSingleUseCount = 1000

  /// A key for a number of payments.
  case limitedUse(LimitedUseKey)
  /// 1...1000 keys for a payment each, by rising counters. Only for cryptogram versions whose key does not wait for the
  /// terminal, and for applications without mag-stripe mode, whose CVC3 key would make codes for any counter.
  case singleUse([SingleUseKey])

  /// Which kind.
  public var kind: PaymentKeyKind {
    switch self {
    case .limitedUse: .limitedUse
    case .singleUse: .singleUse
    }
  }
}

/// A payment key that an issuer provisioned for one application: good for a number of payments.
///
/// The key octets leave for the store that keeps them only; a reservation takes what one payment needs.
public final class LimitedUseKey: Sendable {
  package let masterKey: Secret
  package let cvc3Key: Secret?
  /// The counter of the first payment, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// How many payments the key is good for: 0...65535.
  public let uses: Int
  /// From when on the key counts as none; nil for never.
  public let expiry: WallTime?

  /// Takes a key over.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for application cryptograms, 16 octets.
  ///   - cvc3Key: The card's key for dynamic CVC3, 16 octets; only applications with mag-stripe mode need it.
  ///   - firstCounter: The counter of the first payment, tag 9F36: 1...65535.
  ///   - uses: How many payments the key is good for: 0...65535.
  ///   - expiry: From when on the key counts as none; nil for never.
  public init(
    masterKey: consuming Secret, cvc3Key: consuming Secret? = nil, firstCounter: UInt16, uses: Int,
    expiry: WallTime? = nil
  ) {
    self.masterKey = masterKey
    self.cvc3Key = cvc3Key
    self.firstCounter = firstCounter
    self.uses = uses
    self.expiry = expiry
  }
}

/// The session key of one payment, made by the issuer.
public final class SingleUseKey: Sendable {
  package let sessionKey: Secret
  /// The counter of the payment, tag 9F36: 1...65535.
  public let counter: UInt16
  /// From when on the key counts as none; nil for never.
  public let expiry: WallTime?

  /// Takes a key over.
  ///
  /// - Parameters:
  ///   - sessionKey: The key for the application cryptogram of the payment, 16 octets.
  ///   - counter: The counter of the payment, tag 9F36: 1...65535.
  ///   - expiry: From when on the key counts as none; nil for never.
  public init(sessionKey: consuming Secret, counter: UInt16, expiry: WallTime? = nil) {
    self.sessionKey = sessionKey
    self.counter = counter
    self.expiry = expiry
  }
}

/// What is left of the keys of one kind and expiry of one application.
public struct PaymentKeyStatus: Hashable, Sendable {
  /// Which application, by its place in the image.
  public let application: Int
  /// Which kind.
  public let kind: PaymentKeyKind
  /// How many payments they are still good for; expired ones for none.
  public var paymentsLeft: Int
  /// From when on they count as none; nil for never.
  public let expiry: WallTime?
  /// Whether that is now.
  public let isExpired: Bool
}

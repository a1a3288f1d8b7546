public import Octets

/// How often a payment key can be used.
public enum PaymentKeyKind: String, Sendable, CaseIterable {
  /// A master key of the card, for a number of payments.
  case limitedUse
  /// A session key, for the one payment with its counter.
  case singleUse
}

/// A batch of keys that an issuer provisioned for one application. A wallet can hold several batches: the oldest valid
/// one pays.
public enum PaymentKeys: Sendable {
  /// The limit of single-use keys in one batch: each occupies locked memory of its own until it is stored.
  public static let maximumSingleUseCount = 1000

  /// A key for a number of payments.
  case limitedUse(LimitedUseKey)
  /// 1...1000 keys for one payment each, by rising counters. Only for cryptogram versions whose key does not depend on
  /// the terminal's unpredictable number, and for applications without mag-stripe mode, whose CVC3 key would compute
  /// codes for any counter.
  case singleUse([SingleUseKey])

  /// The kind.
  public var kind: PaymentKeyKind {
    switch self {
    case .limitedUse: .limitedUse
    case .singleUse: .singleUse
    }
  }
}

/// A payment key that an issuer provisioned for one application, for a number of payments.
///
/// Only stores read the key bytes; a reservation derives what one payment needs.
public final class LimitedUseKey: Sendable {
  package let masterKey: Secret
  package let cvc3Key: Secret?
  package let scriptKey: Secret?
  /// The counter of the first payment, tag 9F36: 1...65535.
  public let firstCounter: UInt16
  /// The number of payments that the key allows: 0...65535.
  public let uses: Int
  /// The moment from which the key no longer pays; nil for never.
  public let expiry: WallTime?

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for application cryptograms, 16 bytes.
  ///   - cvc3Key: The card's key for dynamic CVC3, 16 bytes; only applications with mag-stripe mode need it.
  ///   - scriptKey: The card's master key for the integrity of issuer scripts, 16 bytes; only applications that take scripts
  ///     need it.
  ///   - firstCounter: The counter of the first payment, tag 9F36: 1...65535.
  ///   - uses: The number of payments that the key allows; limited to 0...65535, since a key pays once with a counter.
  ///   - expiry: The moment from which the key no longer pays; nil for never.
  public init(
    masterKey: consuming Secret, cvc3Key: consuming Secret? = nil, scriptKey: consuming Secret? = nil,
    firstCounter: UInt16, uses: Int, expiry: WallTime? = nil
  ) {
    self.masterKey = masterKey
    self.cvc3Key = cvc3Key
    self.scriptKey = scriptKey
    self.firstCounter = firstCounter
    self.uses = min(max(uses, 0), KeyBatch.lastCounter)
    self.expiry = expiry
  }
}

/// The session key of one payment, made by the issuer.
public final class SingleUseKey: Sendable {
  package let sessionKey: Secret
  /// The counter of the payment, tag 9F36: 1...65535.
  public let counter: UInt16
  /// The moment from which the key no longer pays; nil for never.
  public let expiry: WallTime?

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - sessionKey: The key for the application cryptogram of the payment, 16 bytes.
  ///   - counter: The counter of the payment, tag 9F36: 1...65535.
  ///   - expiry: The moment from which the key no longer pays; nil for never.
  public init(sessionKey: consuming Secret, counter: UInt16, expiry: WallTime? = nil) {
    self.sessionKey = sessionKey
    self.counter = counter
    self.expiry = expiry
  }
}

/// The remaining uses of the keys of one kind and expiry of one application.
public struct PaymentKeyStatus: Hashable, Sendable {
  /// The application, by its position in the image.
  public let application: Int
  /// The kind.
  public let kind: PaymentKeyKind
  /// The number of payments that they still allow; 0 for expired keys.
  public var paymentsLeft: Int
  /// The moment from which they no longer pay; nil for never.
  public let expiry: WallTime?
  /// Whether they have expired.
  public let isExpired: Bool
}

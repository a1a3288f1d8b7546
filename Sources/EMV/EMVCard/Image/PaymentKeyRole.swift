internal import EMVCryptography

/// The purpose of a payment key. An application needs one key for each of its roles.
public enum PaymentKeyRole: String, Sendable, CaseIterable {
  /// Makes the application cryptogram, tag 9F26. For a version whose key depends on the terminal's unpredictable number
  /// it is the card's master key, from which that key is derived.
  case applicationCryptogram
  /// Makes the dynamic card verification codes of mag-stripe mode, tags 9F60 and 9F61.
  case dynamicCVC3
  /// Authenticates the issuer's response (ARPC), where that is not the key of the cryptogram: the card's master key for
  /// application cryptograms, with Mastercard's versions 16 and 17.
  case issuerAuthentication
  /// Authenticates issuer scripts. For Visa's rule it is the session key of the payment; otherwise the card's master key for
  /// scripts, from which the card derives the session key with its cryptogram.
  case scriptIntegrity
}

extension CardImage.Application {
  /// The keys that the application needs, in the order in which an arming holds them.
  public var keyRoles: [PaymentKeyRole] {
    [.applicationCryptogram] + (track2 == nil ? [] : [.dynamicCVC3])
      + (needsAuthenticationKey ? [.issuerAuthentication] : []) + (takesScripts ? [.scriptIntegrity] : [])
  }

  /// Whether the key that authenticates the issuer is not that of the cryptogram.
  private var needsAuthenticationKey: Bool {
    authenticatesIssuer && cryptogramVersion.response?.key == .masterKey && cryptogramVersion.sessionKey != .masterKey
  }
}

extension CardImage {
  /// The number of keys in an arming of this card: those of the first application, those of the second, and so on.
  public var keyCount: Int { applications.reduce(0) { $0 + $1.keyRoles.count } }
}

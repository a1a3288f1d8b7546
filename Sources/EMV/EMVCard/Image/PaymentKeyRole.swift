/// The purpose of a payment key. An application needs one key for each of its roles.
public enum PaymentKeyRole: String, Sendable, CaseIterable {
  /// Makes the application cryptogram, tag 9F26. For a version whose key depends on the terminal's unpredictable number
  /// it is the card's master key, from which that key is derived.
  case applicationCryptogram
  /// Makes the dynamic card verification codes of mag-stripe mode, tags 9F60 and 9F61.
  case dynamicCVC3
}

extension CardImage.Application {
  /// The keys that the application needs, in the order in which an arming holds them.
  public var keyRoles: [PaymentKeyRole] {
    track2Data == nil ? [.applicationCryptogram] : [.applicationCryptogram, .dynamicCVC3]
  }
}

extension CardImage {
  /// The number of keys in an arming of this card: those of the first application, those of the second, and so on.
  public var keyCount: Int { applications.reduce(0) { $0 + $1.keyRoles.count } }
}

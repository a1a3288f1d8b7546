/// What one verification of the holder is for. Its proof is redeemed for this purpose only.
public enum VerificationPurpose: Equatable, Sendable {
  /// Arming a card for one session.
  ///
  /// - Parameter nonce: Random bytes of the session, at least one.
  case arming(nonce: [UInt8])
  /// One signature with the protected key.
  case signing
  /// Reading the protected key once, to decrypt data.
  case unsealing
}

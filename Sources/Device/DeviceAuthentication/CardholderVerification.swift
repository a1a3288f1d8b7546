public import Octets

/// The proof that the cardholder has verified: one verification, for one session, redeemed once.
///
/// Only `CardholderVerifier.verify` creates one. It cannot be copied, so it cannot arm two sessions; it is bound to a
/// session's nonce, so it cannot arm another session; and it has a deadline, so it cannot be used later.
public struct CardholderVerification: ~Copyable, Sendable {
  private let nonce: [UInt8]
  private let cardholder: VerifiedCardholder

  // Internal, so that no other module can create one.
  init(nonce: [UInt8], cardholder: VerifiedCardholder) {
    self.nonce = nonce
    self.cardholder = cardholder
  }

  /// How the cardholder verified.
  public var method: VerificationMethod { cardholder.method }

  /// When the cardholder was recognised.
  public var verifiedAt: Instant { cardholder.verifiedAt }

  /// The last instant at which the verification is valid.
  public var deadline: Instant { cardholder.deadline }

  /// Redeems the verification, which is used up.
  ///
  /// - Parameter nonce: The nonce of the session that redeems it. The nonce of another session traps.
  public consuming func redeem(nonce: [UInt8]) -> VerifiedCardholder {
    precondition(
      constantTimeEqual(self.nonce.span, nonce.span),
      "a verification is redeemed by the session it was made for; this nonce is another session's")
    return cardholder
  }
}

/// The facts of a redeemed verification. `CardholderVerification.redeem` returns them.
public struct VerifiedCardholder: Equatable, Sendable {
  /// How the cardholder verified.
  public let method: VerificationMethod
  /// When the cardholder was recognised.
  public let verifiedAt: Instant
  /// The last instant at which the verification is valid.
  public let deadline: Instant

  /// Whether the verification is valid at an instant: until the deadline, and at the deadline itself.
  public func isValid(at instant: Instant) -> Bool { instant <= deadline }
}

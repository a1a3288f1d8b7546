public import Octets

/// The proof that the cardholder has verified: one verification, for one session, redeemed once.
///
/// Only `CardholderVerifier.verify` makes one. It cannot be copied, so it cannot arm two sessions; it is bound to a
/// session's nonce, so it cannot arm another session; and it has a deadline, so it cannot be kept for later.
public struct CardholderVerification: ~Copyable, Sendable {
  private let nonce: [UInt8]
  private let cardholder: VerifiedCardholder

  // Internal on purpose: nothing outside this module can mint one.
  init(nonce: [UInt8], cardholder: VerifiedCardholder) {
    self.nonce = nonce
    self.cardholder = cardholder
  }

  /// How the cardholder verified.
  public var method: VerificationMethod { cardholder.method }

  /// When the cardholder was recognised.
  public var verifiedAt: Instant { cardholder.verifiedAt }

  /// The last instant at which the verification counts.
  public var deadline: Instant { cardholder.deadline }

  /// Uses the verification up.
  ///
  /// - Parameter nonce: The nonce of the session that redeems. Another session's is a fault of the program, not of
  ///   a peer, and traps.
  public consuming func redeem(nonce: [UInt8]) -> VerifiedCardholder {
    precondition(
      constantTimeEqual(self.nonce.span, nonce.span),
      "a verification is redeemed by the session it was made for; this nonce is another session's")
    return cardholder
  }
}

/// What a redeemed verification says. It comes from `CardholderVerification.redeem` only.
public struct VerifiedCardholder: Equatable, Sendable {
  /// How the cardholder verified.
  public let method: VerificationMethod
  /// When the cardholder was recognised.
  public let verifiedAt: Instant
  /// The last instant at which the verification counts.
  public let deadline: Instant

  /// Whether the verification counts at an instant: up to the deadline and at the deadline itself.
  public func isValid(at instant: Instant) -> Bool { instant <= deadline }
}

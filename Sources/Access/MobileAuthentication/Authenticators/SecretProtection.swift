/// How one PIN or password is protected: its encrypted salted hash and the wrong entries so far. The value itself is
/// stored nowhere.
public struct SecretProtection: Equatable, Sendable {
  /// PIN or password.
  public let kind: SecretKind
  /// The encrypted salt and hash of the value (`SecretHash`).
  public var verifier: SealedSecret
  /// The wrong entries so far.
  public var attempts: AttemptRecord

  /// Creates a protection.
  public init(kind: SecretKind, verifier: SealedSecret, attempts: AttemptRecord = AttemptRecord()) {
    self.kind = kind
    self.verifier = verifier
    self.attempts = attempts
  }
}

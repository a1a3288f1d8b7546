/// How one PIN or password is protected: its encrypted salted hash and the wrong entries so far. The value itself is
/// stored nowhere.
public struct SecretProtection: Equatable, Sendable {
  /// PIN or password.
  public let kind: SecretKind
  /// The encrypted salt and hash of the value (`SecretHash`).
  public var verifier: SealedSecret
  /// The wrong entries so far.
  public var attempts = AttemptRecord()
  /// The entries so far, from the first value of the counter of the sealing key on. Each entry raises it, and then the
  /// counter of the device: an older copy of the local data is behind the device.
  public var count: UInt64 = 0
  /// The seal over all of this, 32 bytes (`AttemptSeal`); nil in the data of an older version.
  public var seal: [UInt8]?
}

/// What the owner of a protected key stores: with it, a later process finds the key and notices a change of the
/// enrolment. It contains no secret.
public struct ProtectedKeyRecord: Equatable, Sendable {
  /// The key.
  public let identifier: KeyIdentifier
  /// `BiometricEnrolment.digest` at the creation of the key, 0...32 bytes. Empty when the device reports none.
  public let enrolmentDigest: [UInt8]

  /// Creates a record.
  public init(identifier: KeyIdentifier, enrolmentDigest: [UInt8]) {
    self.identifier = identifier
    self.enrolmentDigest = enrolmentDigest
  }
}

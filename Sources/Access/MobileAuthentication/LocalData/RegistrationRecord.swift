public import DeviceAuthentication
public import FIDOUAF

/// One authenticator that is registered for one account.
public struct RegistrationRecord: Equatable, Sendable {
  /// How far a registration has come.
  public enum State: String, Sendable, CaseIterable {
    /// The key exists and the server has not confirmed it. The next start of the client removes such a record.
    case registering
    /// The server has confirmed the key.
    case registered
    /// The server has been asked to delete the key. The next start of the client removes such a record.
    case deregistering
  }

  /// The account.
  public let account: Account
  /// What kind of authenticator it is.
  public let aaid: AAID
  /// The name of the key on the server.
  public let keyID: KeyID
  /// The application to which the key belongs (FIDO UAF, `appID`).
  public let appID: String
  /// The signing key of the device, or with RSA the sealing key.
  public let key: ProtectedKeyRecord
  /// The private key for a server that needs RSA, sealed by `key`; nil for ECDSA.
  public internal(set) var rsaKey: SealedSecret?
  /// How far the registration has come.
  public var state: State
  /// A change of the enrolled fingers or faces deletes the key (`invalidateOnNewOsBiometrics`).
  public internal(set) var isInvalidatedByNewBiometrics = false
  /// The device passcode is accepted in place of a finger or a face (`allowDevicePasscodeAsFallback`).
  public internal(set) var acceptsPasscode = false
  /// The protection of a PIN or a password; nil for authenticators that the device itself checks.
  public var protection: SecretProtection?

  /// The keys of the device that belong to the record.
  var keys: [KeyIdentifier] { [key.identifier] + (protection.map { [$0.verifier.sealingKey] } ?? []) }
}

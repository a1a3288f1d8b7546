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
  public let rsaKey: SealedSecret?
  /// How far the registration has come.
  public var state: State
  /// A change of the enrolled fingers or faces deletes the key (`invalidateOnNewOsBiometrics`).
  public let isInvalidatedByNewBiometrics: Bool
  /// The device passcode is accepted in place of a finger or a face (`allowDevicePasscodeAsFallback`).
  public let acceptsPasscode: Bool
  /// The protection of a PIN or a password; nil for authenticators that the device itself checks.
  public var protection: SecretProtection?

  /// Creates a record.
  public init(
    account: Account, aaid: AAID, keyID: KeyID, appID: String, key: ProtectedKeyRecord,
    rsaKey: SealedSecret? = nil, state: State,
    isInvalidatedByNewBiometrics: Bool = false, acceptsPasscode: Bool = false, protection: SecretProtection? = nil
  ) {
    self.account = account
    self.aaid = aaid
    self.keyID = keyID
    self.appID = appID
    self.key = key
    self.rsaKey = rsaKey
    self.state = state
    self.isInvalidatedByNewBiometrics = isInvalidatedByNewBiometrics
    self.acceptsPasscode = acceptsPasscode
    self.protection = protection
  }

  /// The keys of the device that belong to the record.
  var keys: [KeyIdentifier] { [key.identifier] + (protection.map { [$0.verifier.sealingKey] } ?? []) }
}

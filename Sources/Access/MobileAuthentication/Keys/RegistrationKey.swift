internal import DeviceAuthentication
internal import FIDOUAF

/// The private key of a registration: a signing key of the device, or an RSA key that a sealing key of the device seals.
struct RegistrationKey: Sendable {
  /// The key of the device.
  let record: ProtectedKeyRecord
  /// The sealed RSA key; nil for a key that signs in the device.
  let rsaKey: SealedSecret?

  /// What the holder of the device is verified for.
  var purpose: VerificationPurpose { rsaKey == nil ? .signing : .unsealing }
}

extension RegistrationRecord {
  /// The private key.
  var registrationKey: RegistrationKey { RegistrationKey(record: key, rsaKey: rsaKey) }

  /// The algorithm of the key.
  var algorithm: AuthenticatorAlgorithm { rsaKey == nil ? .ecdsa : .rsa }
}

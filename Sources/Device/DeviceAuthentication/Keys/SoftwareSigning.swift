public import Octets

/// The port to the arithmetic of P-256, for a device that keeps its signing keys in the memory of this process.
///
/// `DeviceAuthentication` has no cryptography: a caller that needs signing keys of a `SimulatedDevice` gives one.
public protocol SoftwareSigning: Sendable {
  /// Returns a new private key, 32 bytes.
  func generate() throws(DeviceAuthenticationError) -> Secret

  /// Returns the public key of a private key: an uncompressed point, 65 bytes (ANSI X9.63).
  func publicKey(of privateKey: borrowing Secret) throws(DeviceAuthenticationError) -> [UInt8]

  /// Signs a SHA-256 digest of 32 bytes. Returns r and s, 64 bytes.
  func sign(_ digest: [UInt8], with privateKey: borrowing Secret) throws(DeviceAuthenticationError) -> [UInt8]
}

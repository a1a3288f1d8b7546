public import DeviceAuthentication

/// Bytes that are encrypted (AES-256-GCM) under a sealing key of the device. Only that device reads them, and only while
/// its lock has not been removed.
public struct SealedSecret: Equatable, Sendable {
  /// The sealing key.
  public let sealingKey: KeyIdentifier
  /// Nonce, ciphertext and tag: 12 bytes, as many as the secret has, 16 bytes.
  public let box: [UInt8]
}

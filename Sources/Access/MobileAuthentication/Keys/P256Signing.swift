internal import Crypto
public import DeviceAuthentication
public import Octets

/// The arithmetic of P-256 of swift-crypto, for the signing keys of a simulated device.
public struct P256Signing: SoftwareSigning {
  /// Creates the adapter.
  public init() {}

  /// Returns a new private key, 32 bytes.
  public func generate() throws(DeviceAuthenticationError) -> Secret {
    var octets = [UInt8](Crypto.P256.Signing.PrivateKey().rawRepresentation)
    return Secret(wiping: &octets)
  }

  /// Returns the public key of a private key: an uncompressed point, 65 bytes (ANSI X9.63).
  public func publicKey(of privateKey: borrowing Secret) throws(DeviceAuthenticationError) -> [UInt8] {
    [UInt8](try key(privateKey).publicKey.x963Representation)
  }

  /// Signs a SHA-256 digest of 32 bytes. Returns r and s, 64 bytes.
  public func sign(
    _ digest: [UInt8], with privateKey: borrowing Secret
  ) throws(DeviceAuthenticationError) -> [UInt8] {
    let key = try key(privateKey)
    guard let digest = PrecomputedDigest(digest), let signature = try? key.signature(for: digest) else {
      throw .unavailable(reason: "the key cannot sign \(digest.count.bytes): a digest has 32")
    }
    return [UInt8](signature.rawRepresentation)
  }

  private func key(
    _ privateKey: borrowing Secret
  ) throws(DeviceAuthenticationError) -> Crypto.P256.Signing.PrivateKey {
    let key = privateKey.withExposedOctets { octets in
      octets.withWipedCopy { try? Crypto.P256.Signing.PrivateKey(rawRepresentation: $0) }
    }
    guard let key else { throw .unavailable(reason: "the stored bytes are not a private key of P-256") }
    return key
  }
}

/// A SHA-256 digest that was computed elsewhere.
struct PrecomputedDigest: Digest {
  static var byteCount: Int { 32 }
  private let octets: [UInt8]

  init?(_ octets: [UInt8]) {
    guard octets.count == Self.byteCount else { return nil }
    self.octets = octets
  }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe octets.withUnsafeBytes(body)
  }

  var description: String { "SHA-256 digest" }
}

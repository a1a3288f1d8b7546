internal import Crypto
public import JSON
public import Octets

/// A private key on P-256 that signs, wherever it is stored. A call may block, for example on a TPM.
public protocol SigningKey: Sendable {
  /// The public half of the key.
  var publicKey: JSONWebKey { get }

  /// Signs bytes with ECDSA and SHA-256.
  ///
  /// - Returns: r and s, 32 bytes each, most significant first.
  /// - Throws: `JOSEError` with code `keyUnavailable`.
  func signature(of octets: [UInt8]) throws(JOSEError) -> [UInt8]
}

/// A private key on P-256 that agrees on a secret, wherever it is stored. A call may block, for example on a TPM.
public protocol AgreementKey: Sendable {
  /// The public half of the key.
  var publicKey: JSONWebKey { get }

  /// Agrees on a secret with another key by ECDH.
  ///
  /// - Returns: The x coordinate of the common point, 32 bytes. The caller wipes it.
  /// - Throws: `JOSEError` with code `keyUnavailable`.
  func sharedSecret(with publicKey: JSONWebKey) throws(JOSEError) -> Secret
}

/// A private key that lies in the memory of the process.
public struct SoftwareKey: SigningKey, AgreementKey {
  private let scalar: P256.KeyAgreement.PrivateKey
  /// The public half of the key.
  public let publicKey: JSONWebKey

  /// Creates a random key.
  public init(keyID: String? = nil, use: JSONWebKey.Use? = nil) throws(JOSEError) {
    try self.init(P256.KeyAgreement.PrivateKey(), keyID, use)
  }

  /// Reads a key that is the 32 bytes of its scalar.
  ///
  /// - Throws: `JOSEError` with code `invalidKey`.
  public init(scalar: borrowing Secret, keyID: String? = nil, use: JSONWebKey.Use? = nil) throws(JOSEError) {
    var octets = scalar.withExposedOctets { $0.array }
    defer { octets.wipe() }
    guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: octets) else {
      throw JOSEError(.invalidKey, "\(octets.count.bytes) that are not a private key of P-256")
    }
    try self.init(key, keyID, use)
  }

  private init(_ scalar: P256.KeyAgreement.PrivateKey, _ keyID: String?, _ use: JSONWebKey.Use?) throws(JOSEError) {
    self.scalar = scalar
    publicKey = try JSONWebKey(x963: [UInt8](scalar.publicKey.x963Representation), keyID: keyID, use: use)
  }

  /// Reads a key with its private part `d` (RFC 7518 section 6.2.2).
  ///
  /// - Throws: `JOSEError` with code `invalidKey` when `d` is missing or does not belong to the public half.
  public init(_ json: JSONValue) throws(JOSEError) {
    publicKey = try JSONWebKey(json)
    var octets = try JSONWebKey.coordinate("d", of: json)
    defer { octets.wipe() }
    guard let scalar = try? P256.KeyAgreement.PrivateKey(rawRepresentation: octets),
      [UInt8](scalar.publicKey.x963Representation) == publicKey.x963
    else { throw JOSEError(.invalidKey, "the private part of a key does not belong to its public part") }
    self.scalar = scalar
  }

  /// Signs bytes with ECDSA and SHA-256.
  public func signature(of octets: [UInt8]) throws(JOSEError) -> [UInt8] {
    do {
      let key = try P256.Signing.PrivateKey(rawRepresentation: scalar.rawRepresentation)
      return [UInt8](try key.signature(for: octets).rawRepresentation)
    } catch {
      throw JOSEError(.keyUnavailable, "the key cannot sign")
    }
  }

  /// Agrees on a secret with another key by ECDH.
  public func sharedSecret(with publicKey: JSONWebKey) throws(JOSEError) -> Secret {
    do {
      let agreed = try scalar.sharedSecretFromKeyAgreement(with: publicKey.agreementKey)
      var octets = unsafe agreed.withUnsafeBytes { unsafe [UInt8]($0) }
      return Secret(wiping: &octets)
    } catch {
      throw JOSEError(.keyUnavailable, "the key cannot agree on a secret")
    }
  }
}

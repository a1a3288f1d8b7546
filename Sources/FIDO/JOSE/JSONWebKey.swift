internal import Crypto
internal import Octets

/// A public key on the curve P-256 (RFC 7517, RFC 7518 section 6.2).
///
/// The curve is the only one that this library implements. The point is checked when the key is created, so a key on
/// another curve or at infinity does not exist.
public struct JSONWebKey: Sendable {
  /// What a key may be used for (RFC 7517 section 4.2).
  public enum Use: String, Hashable, Sendable {
    /// Verification of signatures.
    case signature = "sig"
    /// Encryption.
    case encryption = "enc"
  }

  /// The affine coordinates, 32 bytes each, most significant first.
  public let x, y: [UInt8]
  /// `kid`, the identifier of the key, or nil.
  public let keyID: String?
  /// What the key may be used for, or nil for no restriction.
  public let use: Use?
  /// `key_ops` (RFC 7517 section 4.3), or nil for no restriction.
  public let operations: Set<String>?
  /// `alg`, the only algorithm that the key may be used with, or nil for no restriction.
  public let algorithm: String?

  /// Creates a key from an uncompressed point (SEC 1 section 2.3.3): 04, x, y.
  ///
  /// - Throws: `JOSEError` with code `invalidKey` when the bytes are not a point of P-256.
  public init(
    x963 octets: [UInt8], keyID: String? = nil, use: Use? = nil, operations: Set<String>? = nil,
    algorithm: String? = nil
  ) throws(JOSEError) {
    guard octets.count == 1 + 2 * Self.coordinateCount, octets[0] == 0x04,
      (try? P256.Signing.PublicKey(x963Representation: octets)) != nil
    else {
      throw JOSEError(.invalidKey, "\(octets.count.bytes) that are not an uncompressed point of P-256")
    }
    x = Array(octets[1...Self.coordinateCount])
    y = Array(octets[(1 + Self.coordinateCount)...])
    (self.keyID, self.use, self.operations, self.algorithm) = (keyID, use, operations, algorithm)
  }

  static let coordinateCount = 32

  /// The uncompressed point (SEC 1 section 2.3.3): 04, x, y.
  public var x963: [UInt8] { [0x04] + x + y }

  /// SubjectPublicKeyInfo in DER (RFC 5480), 91 bytes.
  public var subjectPublicKeyInfo: [UInt8] {
    [UInt8](verificationKey.derRepresentation)
  }

  var verificationKey: P256.Signing.PublicKey { point(P256.Signing.PublicKey.init(x963Representation:)) }
  var agreementKey: P256.KeyAgreement.PublicKey { point(P256.KeyAgreement.PublicKey.init(x963Representation:)) }

  private func point<Key>(_ make: ([UInt8]) throws -> Key) -> Key {
    do {
      return try make(x963)
    } catch {
      preconditionFailure("the point was checked when the key was created")
    }
  }

  /// Checks that the key may be used for a purpose.
  ///
  /// - Throws: `JOSEError` with code `invalidKey`.
  func check(use wanted: Use, operation: String, algorithm wantedAlgorithm: String) throws(JOSEError) {
    if let use, use != wanted {
      throw JOSEError(.invalidKey, "the key is for \"\(use.rawValue)\", not for \"\(wanted.rawValue)\"")
    }
    if let operations, !operations.contains(operation) {
      throw JOSEError(.invalidKey, "the operations of the key do not contain \"\(operation)\"")
    }
    if let algorithm, algorithm != wantedAlgorithm {
      throw JOSEError(.invalidKey, "the key is for another algorithm than \(wantedAlgorithm)")
    }
  }
}

extension JSONWebKey: Hashable {
  /// Whether the points are equal. Identifier and restrictions do not count.
  public static func == (first: JSONWebKey, second: JSONWebKey) -> Bool { first.x == second.x && first.y == second.y }

  /// Hashes the point.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(x)
    hasher.combine(y)
  }
}

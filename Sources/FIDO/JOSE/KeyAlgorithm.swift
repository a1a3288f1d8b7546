/// How the content encryption key of a JWE is determined (RFC 7518 section 4): the values of `alg` that this library
/// implements.
public enum KeyAlgorithm: String, CaseIterable, Hashable, Sendable {
  /// The agreed key encrypts the content itself (RFC 7518 section 4.6).
  case ecdhES = "ECDH-ES"
  /// The agreed key of 128 bits wraps a random content encryption key.
  case ecdhESA128KW = "ECDH-ES+A128KW"
  /// The agreed key of 256 bits wraps a random content encryption key.
  case ecdhESA256KW = "ECDH-ES+A256KW"

  /// The size of the key that wraps the content encryption key, in bytes; nil for direct agreement.
  var wrappingKeyCount: Int? {
    switch self {
    case .ecdhES: nil
    case .ecdhESA128KW: 16
    case .ecdhESA256KW: 32
    }
  }
}

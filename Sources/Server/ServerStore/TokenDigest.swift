internal import Crypto

/// The SHA-256 of a token. The store holds digests only: a copy of the database opens nothing.
package struct TokenDigest: Hashable, Codable, Sendable {
  /// The digest, 32 bytes.
  package let octets: [UInt8]

  /// Creates the digest of a token.
  package init(of token: String) { octets = [UInt8](SHA256.hash(data: Array(token.utf8))) }

  /// Creates a digest from the store. Nil unless it has 32 bytes.
  package init?(_ octets: [UInt8]) {
    guard octets.count == SHA256.byteCount else { return nil }
    self.octets = octets
  }
}

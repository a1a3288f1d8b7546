/// A signature algorithm with the encoding of its public keys: what one key of an authenticator has.
public struct AuthenticatorAlgorithm: Hashable, Sendable {
  /// The algorithm of all signatures of the key.
  public let signature: SignatureAlgorithm
  /// The encoding of the public key.
  public let publicKey: PublicKeyEncoding

  /// Creates a pair.
  public init(signature: SignatureAlgorithm, publicKey: PublicKeyEncoding) {
    (self.signature, self.publicKey) = (signature, publicKey)
  }

  /// ECDSA on P-256: algorithm 2 in DER, encoding 101 hexadecimal.
  public static let ecdsa = AuthenticatorAlgorithm(
    signature: .p256ECDSAWithSHA256DER, publicKey: .ecSubjectPublicKeyInfo)
  /// RSASSA-PKCS1-v1_5 with 2048 bits: algorithm 9 in an OCTET STRING, encoding 103 hexadecimal.
  public static let rsa = AuthenticatorAlgorithm(
    signature: .rsaPKCS1WithSHA256DER, publicKey: .rsa2048SubjectPublicKeyInfo)
}

/// A signature algorithm (FIDO UAF Registry of Predefined Values 1.1, section 3.6.1).
public struct SignatureAlgorithm: RawRepresentable, Hashable, Sendable {
  /// The number of the algorithm.
  public let rawValue: UInt16
  /// Creates an algorithm.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// ECDSA on P-256 with SHA-256; r and s, 32 bytes each.
  public static let p256ECDSAWithSHA256Raw = SignatureAlgorithm(rawValue: 1)
  /// ECDSA on P-256 with SHA-256, in DER.
  public static let p256ECDSAWithSHA256DER = SignatureAlgorithm(rawValue: 2)
  /// RSASSA-PSS with SHA-256.
  public static let rsaPSSWithSHA256Raw = SignatureAlgorithm(rawValue: 3)
  /// RSASSA-PSS with SHA-256, inside an OCTET STRING.
  public static let rsaPSSWithSHA256DER = SignatureAlgorithm(rawValue: 4)
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  public static let rsaPKCS1WithSHA256Raw = SignatureAlgorithm(rawValue: 8)
  /// RSASSA-PKCS1-v1_5 with SHA-256, inside an OCTET STRING.
  public static let rsaPKCS1WithSHA256DER = SignatureAlgorithm(rawValue: 9)
}

/// The encoding of a public key (FIDO UAF Registry of Predefined Values 1.1, section 3.6.2).
public struct PublicKeyEncoding: RawRepresentable, Hashable, Sendable {
  /// The number of the encoding.
  public let rawValue: UInt16
  /// Creates an encoding.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// An uncompressed point of P-256, 65 bytes.
  public static let ecX962Raw = PublicKeyEncoding(rawValue: 0x100)
  /// A point of P-256 as SubjectPublicKeyInfo in DER, 91 bytes.
  public static let ecSubjectPublicKeyInfo = PublicKeyEncoding(rawValue: 0x101)
  /// An RSA key: modulus of 256 bytes, then the exponent.
  public static let rsa2048Raw = PublicKeyEncoding(rawValue: 0x102)
  /// An RSA key as SubjectPublicKeyInfo in DER.
  public static let rsa2048SubjectPublicKeyInfo = PublicKeyEncoding(rawValue: 0x103)
}

/// A tag of the scheme UAFV1TLV (FIDO UAF Registry of Predefined Values 1.1, section 4).
public struct UAFTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number of the tag, 0 to 3FFF hexadecimal.
  public let rawValue: UInt16

  /// Creates a tag.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Whether the value consists of elements.
  public var isComposite: Bool { rawValue & 0x1000 != 0 }
  /// Whether a receiver that does not know the tag must refuse the whole assertion.
  public var isCritical: Bool { rawValue & 0x2000 != 0 }
  /// `tag 3E03`.
  public var description: String { "tag " + String(rawValue, radix: 16, uppercase: true) }
}

extension UAFTag {
  /// A registration assertion.
  public static let registrationAssertion = UAFTag(rawValue: 0x3E01)
  /// An authentication assertion.
  public static let authenticationAssertion = UAFTag(rawValue: 0x3E02)
  /// The key registration data, which the attestation signs.
  public static let keyRegistrationData = UAFTag(rawValue: 0x3E03)
  /// The data that an authentication signs.
  public static let signedData = UAFTag(rawValue: 0x3E04)
  /// A certificate of the attestation in DER.
  public static let attestationCertificate = UAFTag(rawValue: 0x2E05)
  /// A signature.
  public static let signature = UAFTag(rawValue: 0x2E06)
  /// Full basic attestation: a signature with a certificate.
  public static let basicFullAttestation = UAFTag(rawValue: 0x3E07)
  /// Surrogate basic attestation: a signature by the registered key itself.
  public static let surrogateAttestation = UAFTag(rawValue: 0x3E08)
  /// Attestation with ECDAA.
  public static let ecdaaAttestation = UAFTag(rawValue: 0x3E09)
  /// The key identifier.
  public static let keyID = UAFTag(rawValue: 0x2E09)
  /// The hash of the final challenge parameters.
  public static let finalChallengeHash = UAFTag(rawValue: 0x2E0A)
  /// The AAID.
  public static let aaid = UAFTag(rawValue: 0x2E0B)
  /// The public key.
  public static let publicKey = UAFTag(rawValue: 0x2E0C)
  /// The signature counter, with the registration counter in a registration.
  public static let counters = UAFTag(rawValue: 0x2E0D)
  /// Version, mode and algorithms.
  public static let assertionInformation = UAFTag(rawValue: 0x2E0E)
  /// Random bytes of the authenticator.
  public static let authenticatorNonce = UAFTag(rawValue: 0x2E0F)
  /// The hash of the confirmed transaction.
  public static let transactionContentHash = UAFTag(rawValue: 0x2E10)
  /// An extension that must be known.
  public static let criticalExtension = UAFTag(rawValue: 0x3E11)
  /// An extension that may be unknown.
  public static let ignorableExtension = UAFTag(rawValue: 0x3E12)
  /// The name of an extension.
  public static let extensionID = UAFTag(rawValue: 0x2E13)
  /// The data of an extension.
  public static let extensionData = UAFTag(rawValue: 0x2E14)

  static let known: Set<UAFTag> = [
    .registrationAssertion, .authenticationAssertion, .keyRegistrationData, .signedData, .attestationCertificate,
    .signature, .basicFullAttestation, .surrogateAttestation, .ecdaaAttestation, .keyID, .finalChallengeHash, .aaid,
    .publicKey, .counters, .assertionInformation, .authenticatorNonce, .transactionContentHash, .criticalExtension,
    .ignorableExtension, .extensionID, .extensionData,
  ]
}

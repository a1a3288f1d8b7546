/// What a client knows of an authenticator, for the matching of policies (FIDO UAF ASM API 1.1, AuthenticatorInfo).
public struct AuthenticatorDescription: Hashable, Sendable {
  /// The model.
  public var aaid: AAID
  /// The version.
  public var version: UInt16 = 1
  /// The methods of user verification.
  public var userVerification: UserVerification
  /// The protection of the key.
  public var keyProtection: KeyProtection
  /// The protection of the matcher.
  public var matcherProtection: MatcherProtection
  /// The attachment.
  public var attachmentHint: AttachmentHint = .internal
  /// The display for transaction confirmation; empty without a display.
  public var transactionDisplay: TransactionDisplay = [.any, .privilegedSoftware]
  /// The algorithm of the signatures.
  public var authenticationAlgorithm: SignatureAlgorithm
  /// The scheme of the assertions.
  public var assertionScheme = EncodedAssertion.scheme
  /// The types of attestation, as the tags of their elements.
  public var attestationTypes: [UAFTag] = [.surrogateAttestation]

  /// Creates a description of an authenticator that is part of the device, confirms transactions in software, and attests
  /// its keys by themselves.
  public init(
    aaid: AAID, version: UInt16 = 1, userVerification: UserVerification, keyProtection: KeyProtection,
    matcherProtection: MatcherProtection, authenticationAlgorithm: SignatureAlgorithm = .p256ECDSAWithSHA256DER
  ) {
    self.aaid = aaid
    self.version = version
    self.userVerification = userVerification
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
    self.authenticationAlgorithm = authenticationAlgorithm
  }
}

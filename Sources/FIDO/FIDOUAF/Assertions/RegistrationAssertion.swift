/// What an authenticator states about a new key (FIDO UAF Authenticator Commands 1.1, section 5.2.1; Protocol Specification
/// 1.1, section 3.4.3).
public struct RegistrationAssertion: Hashable, Sendable {
  /// How the key is attested.
  public enum Attestation: Hashable, Sendable {
    /// The new key signs its own registration data.
    case surrogate(signature: [UInt8])
    /// A key of the manufacturer signs; the certificates in DER begin with its own.
    case basicFull(signature: [UInt8], certificates: [[UInt8]])
    /// A signature of ECDAA.
    case ecdaa(signature: [UInt8])
  }

  /// The model of the authenticator.
  public var aaid: AAID
  /// The version of the authenticator.
  public var authenticatorVersion: UInt16
  /// The algorithm of all signatures of the key.
  public var signatureAlgorithm: SignatureAlgorithm
  /// The encoding of the public key.
  public var publicKeyEncoding: PublicKeyEncoding
  /// SHA-256 over the encoded final challenge parameters.
  public var finalChallengeHash: [UInt8]
  /// The identifier of the new key.
  public var keyID: KeyID
  /// The number of signatures so far. 0 for an authenticator that does not count.
  public var signatureCounter: UInt32
  /// The number of registrations so far. 0 for an authenticator that does not count.
  public var registrationCounter: UInt32
  /// The encoded public key.
  public var publicKey: [UInt8]
  /// The attestation.
  public private(set) var attestation: Attestation
  /// The bytes that the attestation signs: the key registration data with tag and length.
  public private(set) var signedOctets: [UInt8]

  // A registration is never a transaction confirmation.
  private static let registrationMode: UInt8 = 1

  /// Reads an assertion. The signature is not verified.
  ///
  /// - Throws: `AssertionError`.
  public init(_ octets: [UInt8]) throws(AssertionError) {
    let top = try UAFElement.elements(of: octets)
    guard top.count == 1, top[0].tag == .registrationAssertion else {
      throw AssertionError(.unacceptableContent, "a registration must be one element \(UAFTag.registrationAssertion)")
    }
    let assertion = try UAFElements(of: top[0])
    try assertion.checkExtensions()
    let data = try assertion.required(.keyRegistrationData)
    signedOctets = data.encoded
    attestation = try Self.attestation(of: assertion)
    let registration = try UAFElements(of: data)
    try registration.checkExtensions()
    guard let aaid = AAID(String(decoding: try registration.value(.aaid, 9), as: UTF8.self)) else {
      throw AssertionError(.unacceptableContent, "\(UAFTag.aaid) is not an AAID")
    }
    self.aaid = aaid
    let information = try registration.value(.assertionInformation, 7)
    authenticatorVersion = UInt16(littleEndian: information[0..<2])
    guard information[2] == Self.registrationMode else {
      throw AssertionError(.unacceptableContent, "authentication mode \(information[2]): a registration has mode 1")
    }
    signatureAlgorithm = SignatureAlgorithm(rawValue: UInt16(littleEndian: information[3..<5]))
    publicKeyEncoding = PublicKeyEncoding(rawValue: UInt16(littleEndian: information[5..<7]))
    finalChallengeHash = try registration.value(.finalChallengeHash, 32)
    guard let keyID = KeyID(try registration.required(.keyID).value) else {
      throw AssertionError(.unacceptableContent, "\(UAFTag.keyID) has a wrong size: 32 to 2048 bytes are required")
    }
    self.keyID = keyID
    let counters = try registration.value(.counters, 8)
    signatureCounter = UInt32(littleEndian: counters[0..<4])
    registrationCounter = UInt32(littleEndian: counters[4..<8])
    publicKey = try registration.value(.publicKey, 1...1_024)
  }

  private static func attestation(of assertion: UAFElements) throws(AssertionError) -> Attestation {
    let types: [UAFTag] = [.surrogateAttestation, .basicFullAttestation, .ecdaaAttestation]
    let found = types.flatMap(assertion.all)
    guard found.count == 1 else {
      throw AssertionError(.unacceptableAttestation, "\(found.count) attestations: one is required")
    }
    let elements = try UAFElements(of: found[0])
    let signature = try elements.value(.signature, 1...2_048)
    let certificates = elements.all(.attestationCertificate).map(\.value)
    switch found[0].tag {
    case .surrogateAttestation:
      guard certificates.isEmpty else {
        throw AssertionError(.unacceptableAttestation, "surrogate attestation must have no certificate")
      }
      return .surrogate(signature: signature)
    case .basicFullAttestation:
      guard !certificates.isEmpty else {
        throw AssertionError(.unacceptableAttestation, "full basic attestation must have a certificate")
      }
      return .basicFull(signature: signature, certificates: certificates)
    default: return .ecdaa(signature: signature)
    }
  }

  /// Creates an assertion with surrogate attestation that is not signed yet, for an authenticator that does not count.
  ///
  /// - Parameters:
  ///   - aaid: The model of the authenticator.
  ///   - authenticatorVersion: The version of the authenticator.
  ///   - finalChallengeHash: SHA-256 over the encoded final challenge parameters, 32 bytes.
  ///   - keyID: The identifier of the new key.
  ///   - publicKey: The new public key in the encoding of the algorithm.
  ///   - algorithm: The algorithm of the key.
  public static func unsigned(
    aaid: AAID, authenticatorVersion: UInt16 = 1, finalChallengeHash: [UInt8], keyID: KeyID, publicKey: [UInt8],
    algorithm: AuthenticatorAlgorithm = .ecdsa
  ) -> UnsignedAssertion {
    precondition(finalChallengeHash.count == 32, "a hash has 32 bytes")
    let information =
      littleEndian(authenticatorVersion) + [registrationMode]
      + littleEndian(algorithm.signature.rawValue) + littleEndian(algorithm.publicKey.rawValue)
    let data = UAFElement(
      .keyRegistrationData,
      [
        UAFElement(.aaid, aaid.octets), UAFElement(.assertionInformation, information),
        UAFElement(.finalChallengeHash, finalChallengeHash), UAFElement(.keyID, keyID.octets),
        UAFElement(.counters, [UInt8](repeating: 0, count: 8)), UAFElement(.publicKey, publicKey),
      ])
    return UnsignedAssertion(data: data) { data, signature in
      let attestation = UAFElement(.surrogateAttestation, [UAFElement(.signature, signature)])
      return UAFElement(.registrationAssertion, [data, attestation])
    }
  }
}

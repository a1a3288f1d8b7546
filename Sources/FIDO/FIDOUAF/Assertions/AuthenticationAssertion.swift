/// What an authenticator signs when it verified its user (FIDO UAF Authenticator Commands 1.1, section 5.2.2; Protocol
/// Specification 1.1, section 3.5.4).
public struct AuthenticationAssertion: Hashable, Sendable {
  /// What the user did.
  public enum Mode: UInt8, Hashable, Sendable {
    /// The user was verified.
    case userVerified = 1
    /// The user was verified and confirmed a transaction.
    case transactionConfirmed = 2
  }

  /// The sizes of the nonce, in bytes.
  public static let nonceRange = 8...64

  /// The model of the authenticator.
  public let aaid: AAID
  /// The version of the authenticator.
  public let authenticatorVersion: UInt16
  /// What the user did.
  public let mode: Mode
  /// The algorithm of the signature.
  public let signatureAlgorithm: SignatureAlgorithm
  /// Random bytes of the authenticator.
  public let nonce: [UInt8]
  /// SHA-256 over the encoded final challenge parameters.
  public let finalChallengeHash: [UInt8]
  /// SHA-256 over the confirmed transaction; empty without one.
  public let transactionHash: [UInt8]
  /// The identifier of the key.
  public let keyID: KeyID
  /// The number of signatures so far. 0 for an authenticator that does not count.
  public let signatureCounter: UInt32
  /// The signature.
  public let signature: [UInt8]
  /// The bytes that the signature covers: the signed data with tag and length.
  public let signedOctets: [UInt8]

  /// Reads an assertion. The signature is not verified.
  ///
  /// - Throws: `AssertionError`.
  public init(_ octets: [UInt8]) throws(AssertionError) {
    let top = try UAFElement.elements(of: octets)
    guard top.count == 1, top[0].tag == .authenticationAssertion else {
      throw AssertionError(
        .unacceptableContent, "an authentication must be one element \(UAFTag.authenticationAssertion)")
    }
    let assertion = try UAFElements(of: top[0])
    try assertion.checkExtensions()
    let data = try assertion.required(.signedData)
    signedOctets = data.encoded
    signature = try assertion.value(.signature, 1...2_048)
    let signed = try UAFElements(of: data)
    try signed.checkExtensions()
    guard let aaid = AAID(String(decoding: try signed.value(.aaid, 9), as: UTF8.self)) else {
      throw AssertionError(.unacceptableContent, "\(UAFTag.aaid) is not an AAID")
    }
    self.aaid = aaid
    let information = try signed.value(.assertionInformation, 5)
    authenticatorVersion = UInt16(littleEndian: information[0..<2])
    guard let mode = Mode(rawValue: information[2]) else {
      throw AssertionError(.unacceptableContent, "authentication mode \(information[2]): 1 or 2 is required")
    }
    self.mode = mode
    signatureAlgorithm = SignatureAlgorithm(rawValue: UInt16(littleEndian: information[3..<5]))
    nonce = try signed.value(.authenticatorNonce, Self.nonceRange)
    finalChallengeHash = try signed.value(.finalChallengeHash, 32)
    transactionHash = try signed.value(.transactionContentHash, mode == .userVerified ? 0 : 32)
    guard let keyID = KeyID(try signed.required(.keyID).value) else {
      throw AssertionError(.unacceptableContent, "\(UAFTag.keyID) has a wrong size: 32 to 2048 bytes are required")
    }
    self.keyID = keyID
    signatureCounter = UInt32(littleEndian: try signed.value(.counters, 4))
  }

  /// Creates an assertion that is not signed yet, for an authenticator that does not count.
  ///
  /// - Parameters:
  ///   - aaid: The model of the authenticator.
  ///   - authenticatorVersion: The version of the authenticator.
  ///   - nonce: Random bytes, 8 to 64.
  ///   - finalChallengeHash: SHA-256 over the encoded final challenge parameters, 32 bytes.
  ///   - transactionHash: SHA-256 over the confirmed transaction, 32 bytes; nil without one.
  ///   - keyID: The identifier of the key.
  ///   - algorithm: The algorithm of the key.
  public static func unsigned(
    aaid: AAID, authenticatorVersion: UInt16 = 1, nonce: [UInt8], finalChallengeHash: [UInt8],
    transactionHash: [UInt8]?, keyID: KeyID, algorithm: AuthenticatorAlgorithm = .ecdsa
  ) -> UnsignedAssertion {
    precondition(nonceRange.contains(nonce.count), "the nonce of an authenticator has 8 to 64 bytes")
    precondition(
      finalChallengeHash.count == 32 && transactionHash.map { $0.count == 32 } ?? true, "a hash has 32 bytes")
    let mode: Mode = transactionHash == nil ? .userVerified : .transactionConfirmed
    let information =
      littleEndian(authenticatorVersion) + [mode.rawValue]
      + littleEndian(algorithm.signature.rawValue)
    let data = UAFElement(
      .signedData,
      [
        UAFElement(.aaid, aaid.octets), UAFElement(.assertionInformation, information),
        UAFElement(.authenticatorNonce, nonce), UAFElement(.finalChallengeHash, finalChallengeHash),
        UAFElement(.transactionContentHash, transactionHash ?? []), UAFElement(.keyID, keyID.octets),
        UAFElement(.counters, [UInt8](repeating: 0, count: 4)),
      ])
    return UnsignedAssertion(data: data) { data, signature in
      UAFElement(.authenticationAssertion, [data, UAFElement(.signature, signature)])
    }
  }
}

import AccessMessages
import Crypto
import FIDOUAF
import JOSE
import JSON

/// An authenticator of a test, with one key.
struct TestAuthenticator: Sendable {
  let aaid: AAID
  let keyID: KeyID
  let key: P256.Signing.PrivateKey
  var facet = "ios:bundle-id:test"
  var channelBinding = ChannelBinding()

  init(_ aaid: String = "F1D0#1001") {
    guard let aaid = AAID(aaid), let keyID = KeyID((0..<32).map { _ in UInt8.random(in: 0...255) }) else {
      preconditionFailure("\(aaid) is not an AAID")
    }
    (self.aaid, self.keyID, key) = (aaid, keyID, P256.Signing.PrivateKey())
  }

  func sign(_ octets: [UInt8]) throws -> [UInt8] {
    [UInt8](try key.signature(for: octets).derRepresentation)
  }

  /// The parameters for a request, encoded.
  func parameters(_ header: OperationHeader, _ challenge: [UInt8]) -> String {
    FinalChallengeParameters(
      applicationID: header.applicationID.flatMap { $0.isEmpty ? nil : $0 } ?? facet, challenge: challenge,
      facetID: facet, channelBinding: channelBinding
    ).encoded
  }

  /// The header of a response.
  func header(_ request: OperationHeader) -> OperationHeader {
    var header = request
    if header.applicationID ?? "" == "" { header.applicationID = facet }
    return header
  }

  func registration(
    _ request: RegistrationRequest, version: UInt16 = 1, algorithm: AuthenticatorAlgorithm = .ecdsa
  ) throws -> UAFResponse {
    let parameters = parameters(request.header, request.challenge)
    let assertion = try RegistrationAssertion.unsigned(
      aaid: aaid, authenticatorVersion: version,
      finalChallengeHash: FinalChallengeParameters.hash(ofEncoded: parameters), keyID: keyID,
      publicKey: [UInt8](key.publicKey.derRepresentation), algorithm: algorithm
    ).octets(sign: sign)
    return UAFResponse(
      header: header(request.header), finalChallengeParameters: parameters, assertions: [EncodedAssertion(assertion)])
  }

  func authentication(
    _ request: AuthenticationRequest, confirming transaction: Transaction? = nil
  ) throws -> UAFResponse {
    let parameters = parameters(request.header, request.challenge)
    let assertion = try AuthenticationAssertion.unsigned(
      aaid: aaid, nonce: (0..<16).map { _ in UInt8.random(in: 0...255) },
      finalChallengeHash: FinalChallengeParameters.hash(ofEncoded: parameters), transactionHash: transaction?.hash,
      keyID: keyID
    ).octets(sign: sign)
    return UAFResponse(
      header: header(request.header), finalChallengeParameters: parameters, assertions: [EncodedAssertion(assertion)])
  }
}

extension TestAuthenticator {
  /// An authentication with another counter, signed again.
  func counting(_ counter: UInt8, in assertion: [UInt8]) throws -> [UInt8] {
    try changed(assertion) { signed in
      signed.map { $0.tag == .counters ? UAFElement(.counters, [counter, 0, 0, 0]) : $0 }
    }
  }

  /// An authentication that names algorithm 1 (the signature as two numbers) instead of 2 (DER), and is signed so.
  func signedRaw(_ assertion: [UInt8]) throws -> [UInt8] {
    try changed(assertion, signedBy: { [UInt8](try key.signature(for: $0).rawRepresentation) }) { signed in
      signed.map { element in
        guard element.tag == .assertionInformation else { return element }
        return UAFElement(.assertionInformation, Array(element.value.prefix(3)) + [1, 0])
      }
    }
  }

  /// An authentication with other signed elements, signed again.
  func changed(
    _ assertion: [UInt8], signedBy sign: (([UInt8]) throws -> [UInt8])? = nil,
    _ change: ([UAFElement]) -> [UAFElement]
  ) throws -> [UInt8] {
    let parts = try UAFElement.elements(of: UAFElement.elements(of: assertion)[0].value)
    guard let data = parts.first(where: { $0.tag == .signedData }) else {
      preconditionFailure("an authentication has signed data")
    }
    let signed = UAFElement(.signedData, change(try UAFElement.elements(of: data.value)))
    return UAFElement(
      .authenticationAssertion, [signed, UAFElement(.signature, try (sign ?? self.sign)(signed.encoded))]
    ).encoded
  }
}

extension UnsignedAssertion {
  /// The assertion with the signature that a closure makes.
  func octets(sign: ([UInt8]) throws -> [UInt8]) throws -> [UInt8] {
    octets(signature: try sign(signedOctets))
  }
}

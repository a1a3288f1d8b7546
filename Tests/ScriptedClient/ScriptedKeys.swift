import AccessMessages
import Crypto
import Documents
import FIDOUAF
import JOSE
import JSON
import Octets

/// An authenticator with one key in memory.
struct ScriptedAuthenticator: Sendable {
  private static let model = "F1D0#1001"
  private static let facet = "ios:bundle-id:scripted"

  private let key = P256.Signing.PrivateKey()
  private let keyID = SystemRandomSource().octets(32)

  /// Answers a request of the protocol.
  ///
  /// - Throws: When the request is neither a registration nor an authentication.
  func response(to request: String) throws -> String {
    switch try UAFMessage(request: request) {
    case .registrationRequest(let request):
      UAFMessage.registrationResponse(
        try response(request.header, request.challenge) { aaid, keyID, hash in
          try RegistrationAssertion.unsigned(
            aaid: aaid, finalChallengeHash: hash, keyID: keyID, publicKey: [UInt8](key.publicKey.derRepresentation)
          ).octets(sign: sign)
        }
      ).text
    case .authenticationRequest(let request):
      UAFMessage.authenticationResponse(
        try response(request.header, request.challenge) { aaid, keyID, hash in
          try AuthenticationAssertion.unsigned(
            aaid: aaid, nonce: SystemRandomSource().octets(16), finalChallengeHash: hash,
            transactionHash: request.transactions?.first?.hash, keyID: keyID
          ).octets(sign: sign)
        }
      ).text
    default: throw ScriptedClient.Failure(description: "this request has no response")
    }
  }

  private func response(
    _ header: OperationHeader, _ challenge: [UInt8],
    _ assertion: (_ aaid: AAID, _ keyID: KeyID, _ hash: [UInt8]) throws -> [UInt8]
  ) throws -> UAFResponse {
    guard let aaid = AAID(Self.model), let keyID = KeyID(keyID) else {
      throw ScriptedClient.Failure(description: "the names of the key are not valid")
    }
    var answered = header
    if header.applicationID ?? "" == "" { answered.applicationID = Self.facet }
    let parameters = FinalChallengeParameters(
      applicationID: answered.applicationID ?? "", challenge: challenge, facetID: Self.facet,
      channelBinding: ChannelBinding()
    ).encoded
    let octets = try assertion(aaid, keyID, FinalChallengeParameters.hash(ofEncoded: parameters))
    return UAFResponse(
      header: answered, finalChallengeParameters: parameters, assertions: [EncodedAssertion(octets)])
  }

  private func sign(_ octets: [UInt8]) throws -> [UInt8] {
    [UInt8](try key.signature(for: octets).derRepresentation)
  }
}

/// A device with the two keys of a dispatch target.
struct ScriptedDevice: Sendable {
  let id: String
  let signatureKey: SoftwareKey
  let encryptionKey: SoftwareKey

  init(_ id: String) throws {
    self.id = id
    (signatureKey, encryptionKey) = (try SoftwareKey(), try SoftwareKey())
  }

  /// A signed request of the device.
  func signed(
    _ purpose: DeviceRequest.Purpose, target: String, for server: String, change: DispatchTargetChange? = nil
  ) throws -> String {
    let request = DeviceRequest(
      targetID: target, requestID: SystemRandomSource().octets(16).base64URL,
      createdAt: SystemWallClock().now.seconds * 1_000, audience: server, purpose: purpose, change: change)
    return try JSONWebSignature.compact(signing: Array(request.json.compact.utf8), with: signatureKey)
  }
}

extension UnsignedAssertion {
  /// The assertion with the signature that a closure makes.
  fileprivate func octets(sign: ([UInt8]) throws -> [UInt8]) throws -> [UInt8] {
    octets(signature: try sign(signedOctets))
  }
}

import Fixtures
import JOSE
import JSON
import Octets
import Testing

@testable import FIDOUAF

/// Assertions that another implementation created.
@Suite("UAF vectors")
struct VectorTests {
  /// The checks of a server that concern the assertion alone.
  static func check(_ message: JSONValue, _ registered: RegisteredPublicKey?, _ vector: JSONValue) throws {
    let parsed = try UAFMessage(response: message.compact)
    switch parsed {
    case .registrationResponse(let response):
      let assertion = try RegistrationAssertion(response.assertions[0].octets)
      let key = try RegisteredPublicKey(assertion.publicKey, assertion.publicKeyEncoding)
      guard case .surrogate(let signature) = assertion.attestation else {
        throw AssertionError(.unacceptableAttestation, "another attestation")
      }
      guard assertion.finalChallengeHash == FinalChallengeParameters.hash(ofEncoded: response.finalChallengeParameters)
      else { throw AssertionError(.requestInvalid, "another hash") }
      guard key.isValid(signature, assertion.signatureAlgorithm, over: assertion.signedOctets) else {
        throw AssertionError(.unacceptableAttestation, "a wrong signature")
      }
      if let expected = vector["krd_tbs_hex"]?.text { #expect(assertion.signedOctets.hex == expected.uppercased()) }
    case .authenticationResponse(let response):
      let assertion = try AuthenticationAssertion(response.assertions[0].octets)
      guard assertion.finalChallengeHash == FinalChallengeParameters.hash(ofEncoded: response.finalChallengeParameters)
      else { throw AssertionError(.requestInvalid, "another hash") }
      let offered = vector["transaction"]?.list ?? Vectors.generated["positive"]?.list?[3]["transaction"]?.list ?? []
      let hashes = try offered.map { try Transaction($0, at: "$").hash }
      guard assertion.mode == .userVerified || hashes.contains(assertion.transactionHash) else {
        throw AssertionError(.unacceptableContent, "another transaction")
      }
      guard registered?.isValid(assertion.signature, assertion.signatureAlgorithm, over: assertion.signedOctets) == true
      else { throw AssertionError(.unacceptableContent, "a wrong signature") }
    default: Issue.record("not a response")
    }
  }

  static func key() throws -> RegisteredPublicKey {
    let text = try #require(Vectors.generated["spki_der_b64url"]?.text)
    return try RegisteredPublicKey([UInt8](base64URL: text), .ecSubjectPublicKeyInfo)
  }

  static func cases(_ kind: String) -> [JSONValue] { Vectors.generated[kind]?.list ?? [] }

  @Test(arguments: cases("positive"))
  func `a valid vector is accepted`(vector: JSONValue) throws {
    try Self.check(#require(vector["message"]), Self.key(), vector)
  }

  static let refusals: [String: (code: UAFStatusCode, reason: String)] = [
    "reg_unknown_critical_ext": (.unacceptableContent, "unknown"),
    "reg_truncated_last_byte": (.unacceptableContent, "are present"),
    "reg_fchash_over_json": (.requestInvalid, "another hash"),
    "reg_mode_2": (.unacceptableContent, "authentication mode 2"),
    "reg_keyalg_mismatch": (.unacceptableKey, "are not a public key"),
    "reg_keyid_short": (.unacceptableContent, "wrong size"),
    "reg_basic_full_tag_without_cert": (.unacceptableAttestation, "must have a certificate"),
    "auth_mode2_wrong_tchash": (.unacceptableContent, "another transaction"),
    "auth_replayed_other_challenge": (.requestInvalid, "another hash"),
  ]

  @Test(arguments: cases("negative"))
  func `an invalid vector is refused for its reason`(vector: JSONValue) throws {
    let name = try #require(vector["name"]?.text)
    let error = #expect(throws: AssertionError.self, "\(name)") {
      try Self.check(#require(vector["message"]), Self.key(), vector)
    }
    let refusal = try #require(Self.refusals[name])
    #expect(error?.code == refusal.code, "\(name): \(error?.reason ?? "")")
    #expect(error?.reason.contains(refusal.reason) == true, "\(name): \(error?.reason ?? "")")
  }

  @Test(arguments: ["uaf10ps", "uaf11rd"])
  func `the assertions of the specification are read and verified with the registered key`(version: String) throws {
    let registration = try UAFMessage(response: Vectors.json("spec_\(version)_registration_response").compact)
    guard case .registrationResponse(let response) = registration else { return }
    let registered = try RegistrationAssertion(response.assertions[0].octets)
    #expect(registered.aaid == AAID("ABCD#ABCD"))
    #expect(
      registered.finalChallengeHash == FinalChallengeParameters.hash(ofEncoded: response.finalChallengeParameters))
    guard case .basicFull(_, let certificates) = registered.attestation else {
      Issue.record("not a full basic attestation")
      return
    }
    #expect(certificates.count == 1)

    let authentication = try UAFMessage(response: Vectors.json("spec_\(version)_authentication_response").compact)
    guard case .authenticationResponse(let signed) = authentication else { return }
    let assertion = try AuthenticationAssertion(signed.assertions[0].octets)
    let key = try RegisteredPublicKey(registered.publicKey, registered.publicKeyEncoding)
    #expect(assertion.keyID == registered.keyID)
    #expect(key.isValid(assertion.signature, assertion.signatureAlgorithm, over: assertion.signedOctets))
  }

  @Test func `final challenge parameters are written as they are read`() throws {
    let parameters = FinalChallengeParameters(
      applicationID: "https://fido.example.test/facets", challenge: [UInt8](repeating: 9, count: 32),
      facetID: "ios:bundle-id:ch.example.app", channelBinding: ChannelBinding(serverEndPoint: "AAAA"))
    #expect(try FinalChallengeParameters(encoded: parameters.encoded, at: "$") == parameters)
  }

  @Test func `every Wycheproof signature in DER ends as published`() throws {
    let file = try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/wycheproof/ecdsa_secp256r1_sha256_test.json")))
    var counts = (valid: 0, invalid: 0)
    for group in file["testGroups"]?.list ?? [] {
      let point = try [UInt8](hex: #require(group["publicKey"]?["uncompressed"]?.text))
      let key = try RegisteredPublicKey(point, .ecX962Raw)
      for test in group["tests"]?.list ?? [] {
        let message = try [UInt8](hex: #require(test["msg"]?.text))
        let signature = try [UInt8](hex: #require(test["sig"]?.text))
        let isValid = test["result"]?.text == "valid"
        if isValid { counts.valid += 1 } else { counts.invalid += 1 }
        #expect(
          key.isValid(signature, .p256ECDSAWithSHA256DER, over: message) == isValid,
          "\(test["tcId"]?.integer ?? 0) \(test["comment"]?.text ?? "")")
      }
    }
    #expect(counts.valid + counts.invalid == 484)
  }
}

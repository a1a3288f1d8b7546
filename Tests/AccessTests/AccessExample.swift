import Documents
import FIDOUAF
import Fixtures
import JOSE
import JSON
import Testing

/// The examples of the articles of the access wing.
struct AccessExample {
  @Test func `the article of JOSE signs and encrypts a content`() throws {
    let device = try SoftwareKey(keyID: "device-1")
    let signed = try JSONWebSignature.compact(signing: Array("request".utf8), with: device)
    let request = try JSONWebSignature(verifying: signed, with: device.publicKey).payload

    let encrypted = try JSONWebEncryption.compact(
      encrypting: request, for: device.publicKey, .ecdhESA256KW, .a256CBCHS512)
    let received = try JSONWebEncryption(decrypting: encrypted, with: device).plaintext

    #expect(received == Array("request".utf8))
  }

  @Test func `the article of FIDOUAF reads a request and matches its policy`() throws {
    let file = try Fixtures.data("Vectors/uaf/spec_uaf11rd_registration_request.json")
    let text = String(decoding: file, as: UTF8.self)
    let authenticator = AuthenticatorDescription(
      aaid: try #require(AAID("F1D0#1001")), userVerification: .passcode, keyProtection: .hardware,
      matcherProtection: .software)

    let message = try UAFMessage(request: text)
    guard case .registrationRequest(let request) = message else { return }

    let alternatives = request.policy.alternatives(among: [PolicyCandidate(authenticator)])
    let decision = FacetDecision(applicationID: request.header.applicationID, facetID: "ios:bundle-id:ch.example.app")
    print(alternatives.count, decision)

    #expect(decision == .list(url: try #require(request.header.applicationID)))
  }
}

import AccessMessages
import FIDOUAF
@testable import ServerShell
import Testing

@Suite("Attestation")
struct AttestationTests {
  /// A registration whose attestation was replaced.
  private static func response(
    _ request: RegistrationRequest, _ attestation: (_ signature: UAFElement) -> UAFElement
  ) throws -> UAFResponse {
    let response = try TestAuthenticator().registration(request)
    let parts = try UAFElement.elements(of: UAFElement.elements(of: response.assertions[0].octets)[0].value)
    let signature = try UAFElement.elements(of: parts[1].value)[0]
    let assertion = UAFElement(.registrationAssertion, [parts[0], attestation(signature)])
    return UAFResponse(
      header: response.header, finalChallengeParameters: response.finalChallengeParameters,
      assertions: [EncodedAssertion(assertion.encoded)])
  }

  // The metadata have no root certificates: only a key that attests itself can be verified.
  @Test(arguments: [UAFTag.basicFullAttestation, .ecdaaAttestation])
  func `an attestation other than surrogate is refused with 1496, and nothing is registered`(_ tag: UAFTag) async throws
  {
    let server = try await TestServer()
    let request = try await server.registrationRequest("alice")
    let response = try Self.response(request) { signature in
      let certificate = UAFElement(.attestationCertificate, [0x30, 0x00])
      return UAFElement(tag, tag == .basicFullAttestation ? [signature, certificate] : [signature])
    }

    let result = try await server.respond(.registrationResponse(response))

    #expect(result.status == .unacceptableAttestation)
    #expect(try await server.registrationRequest("alice").policy.disallowed.isEmpty)
  }

  @Test func `full basic attestation without a certificate, and surrogate attestation with one, are refused`()
    async throws
  {
    let server = try await TestServer()
    for tag in [UAFTag.basicFullAttestation, .surrogateAttestation] {
      let request = try await server.registrationRequest("alice")
      let response = try Self.response(request) { signature in
        let certificate = UAFElement(.attestationCertificate, [0x30, 0x00])
        return UAFElement(tag, tag == .basicFullAttestation ? [signature] : [signature, certificate])
      }
      #expect(try await server.respond(.registrationResponse(response)).status == .unacceptableAttestation)
    }
  }
}

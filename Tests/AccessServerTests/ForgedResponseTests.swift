import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JOSE
import JSON
@testable import ServerShell
import Testing

/// Every part of a response, changed. Nothing that is refused leaves a key or an authorization behind.
@Suite("Forged responses")
struct ForgedResponseTests {
  /// A change of one member of a response, as JSON.
  struct Change: Sendable, CustomTestStringConvertible {
    let path: String
    let value: JSONValue?

    init(_ path: String, _ value: JSONValue?) { (self.path, self.value) = (path, value) }

    var testDescription: String { "\(path) = \(value?.compact ?? "absent")" }
  }

  static let changes: [Change] = [
    Change("[0].header.upv.minor", 0), Change("[0].header.upv.major", 2), Change("[0].header.upv", nil),
    Change("[0].header.op", "Dereg"), Change("[0].header.op", nil), Change("[0].header.appID", "https://evil.test"),
    Change("[0].header.serverData", "AAAA"), Change("[0].header.serverData", nil),
    Change("[0].header.exts", [["id": "x", "data": "", "fail_if_unknown": true]]),
    Change("[0].header", nil), Change("[0].fcParams", nil), Change("[0].fcParams", ""), Change("[0].fcParams", "e30"),
    Change("[0].fcParams", 7), Change("[0].assertions", []), Change("[0].assertions", nil),
    Change("[0].assertions", "x"), Change("[0].assertions[0].assertionScheme", "UAFV2TLV"),
    Change("[0].assertions[0].assertion", ""), Change("[0].assertions[0].assertion", "AT5="),
    Change("[0].assertions[0].assertion", "AAAA"), Change("[0].assertions[0].assertion", nil),
    Change("[0].assertions[0].exts", [["id": "x", "data": "", "fail_if_unknown": true]]),
    Change("[0]", nil),
  ]

  @Test(arguments: changes) func `a changed registration registers nothing`(change: Change) async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let response = try authenticator.registration(await server.registrationRequest("alice"))
    let text = JSONValue([response.json]).setting(change.path, to: change.value).compact
    let result = try await server.respond(text: text, to: AccessPath.registrationResponse)
    #expect(result.status != .ok)
    #expect(result.tokens.isEmpty)
    #expect(try await server.credentials(of: "alice").isEmpty)
    #expect(try await server.user(named: "alice") == nil)
  }

  @Test(arguments: changes) func `a changed authentication authenticates no user`(change: Change) async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let response = try authenticator.authentication(request)
    let text = JSONValue([response.json]).setting(change.path, to: change.value).compact
    let result = try await server.respond(text: text, to: AccessPath.authenticationResponse)
    #expect(result.status != .ok)
    #expect(result.tokens.isEmpty)
  }

  @Test func `every changed bit of a registration assertion is refused`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let count = try authenticator.registration(await server.registrationRequest("alice")).assertions[0].octets.count
    for position in 0..<count {
      var response = try authenticator.registration(await server.registrationRequest("alice"))
      var octets = response.assertions[0].octets
      // The length of a signature in DER varies.
      octets[position % octets.count] ^= 1 << UInt8(position % 8)
      response.assertions = [EncodedAssertion(octets)]
      let result = try await server.respond(.registrationResponse(response))
      #expect(result.status != .ok, "octet \(position)")
    }
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `every changed bit of an authentication assertion is refused`() async throws {
    let server = try await TestServer { $0.failureLimits.perAccount = 1_000 }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let first = try await server.authenticationRequest(RequestContext(userName: "alice"))
    for position in 0..<(try authenticator.authentication(first).assertions[0].octets.count) {
      let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
      var response = try authenticator.authentication(request)
      var octets = response.assertions[0].octets
      octets[position % octets.count] ^= 1 << UInt8(position % 8)
      response.assertions = [EncodedAssertion(octets)]
      let result = try await server.respond(.authenticationResponse(response))
      #expect(result.status != .ok, "octet \(position)")
    }
  }

  /// A change of the final challenge parameters, for which the authenticator signs.
  static let parameters: [Change] = [
    Change("appID", "https://evil.test"), Change("appID", nil), Change("challenge", "AAAAAAAAAAA"),
    Change("challenge", nil), Change("facetID", "ios:bundle-id:evil"), Change("facetID", nil),
    Change("channelBinding", nil), Change("channelBinding", "x"),
  ]

  @Test(arguments: parameters) func `changed parameters are refused although they are signed`(
    change: Change
  ) async throws {
    let server = try await TestServer {
      $0.facets = .listed(["ios:bundle-id:test"])
      $0.applicationID = "https://server.test/facets"
    }
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let encoded = authenticator.parameters(request.header, request.challenge)
    let json = try JSONValue(parsing: [UInt8](base64URL: encoded)).setting(change.path, to: change.value)
    let changed = Array(json.compact.utf8).base64URL
    let assertion = try AuthenticationAssertion.unsigned(
      aaid: authenticator.aaid, nonce: [UInt8](repeating: 1, count: 8),
      finalChallengeHash: FinalChallengeParameters.hash(ofEncoded: changed), transactionHash: nil,
      keyID: authenticator.keyID
    ).octets(sign: authenticator.sign)
    let response = UAFResponse(
      header: request.header, finalChallengeParameters: changed, assertions: [EncodedAssertion(assertion)])
    let result = try await server.respond(.authenticationResponse(response))
    #expect([.unacceptableContent, .requestInvalid].contains(result.status))
  }

  @Test func `a truncated or oversized message is refused`() async throws {
    let server = try await TestServer()
    let response = try TestAuthenticator().registration(await server.registrationRequest("alice"))
    let text = UAFMessage.registrationResponse(response).text
    for count in stride(from: 1, to: text.utf8.count, by: 37) {
      let part = String(decoding: Array(text.utf8).prefix(count), as: UTF8.self)
      #expect(try await server.respond(text: part, to: AccessPath.registrationResponse).status == .unacceptableContent)
    }
    var large = response
    large.assertions = [EncodedAssertion([UInt8](repeating: 0, count: 4_097))]
    #expect(try await server.respond(.registrationResponse(large)).status == .unacceptableContent)
    let nested = String(repeating: "[", count: 10_000)
    #expect(try await server.respond(text: nested, to: AccessPath.registrationResponse).status == .unacceptableContent)
  }
}

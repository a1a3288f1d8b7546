import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Operator and self-service")
struct OperatorTests {
  static let asOperator = TestServer.bearer(TestServer.operatorToken)

  @Test func `the operator's paths refuse everybody else`() async throws {
    let server = try await TestServer()
    let alice = TestServer.bearer(try await server.register(TestAuthenticator(), "alice"))
    for headers in [[], alice, TestServer.bearer("wrong")] {
      for (method, path, body) in [
        ("POST", OperatorPath.users, UserAddition(name: "x").json),
        ("POST", OperatorPath.userTokens, UserAddition(name: "alice").json), ("GET", OperatorPath.devices, nil),
        ("PATCH", OperatorPath.device("x"), DeviceStateChange(isActive: false).json),
        ("DELETE", OperatorPath.device("x"), nil), ("GET", OperatorPath.audit, nil),
      ] as [(String, String, JSONValue?)] {
        #expect(try await server.send(method, path, body, headers: headers).response.status == 401, "\(path)")
      }
    }
  }

  @Test func `the operator lists and removes devices with their credentials`() async throws {
    let server = try await TestServer()
    let (first, second) = (TestAuthenticator(), TestAuthenticator("F1D0#1003"))
    try await server.register(first, "alice", deviceID: "device-1")
    try await server.register(second, "alice", deviceID: "device-2")
    let device = try await server.add(TestDevice(), "alice")
    let list = try DeviceList(
      await server.send("GET", OperatorPath.devices + "?account=alice", headers: Self.asOperator).json)
    #expect(list.devices.map(\.id) == [device.targetID])
    #expect(list.devices.first?.state == "active")
    let all = try DeviceList(await server.send("GET", OperatorPath.devices, headers: Self.asOperator).json)
    #expect(all == list)
    let path = OperatorPath.device(device.targetID)
    #expect(try await server.send("DELETE", path, headers: Self.asOperator).response.status == 204)
    #expect(try await server.send("DELETE", path, headers: Self.asOperator).response.status == 404)
    #expect(try await server.credentials(of: "alice").map(\.aaid) == ["F1D0#1003"])
  }

  @Test func `a user removes a lost device and a credential, and nothing of others`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let own = try await server.register(TestAuthenticator("F1D0#1003"), "alice", deviceID: "device-3")
    let alice = TestServer.bearer(own)
    let bob = TestServer.bearer(try await server.register(TestAuthenticator(), "bob", deviceID: "device-2"))
    let lost = try await server.add(TestDevice(), "alice")
    let devices = try await server.send("GET", SelfServicePath.devices, headers: alice)
    #expect(try DeviceList(devices.json).devices.map(\.id) == [lost.targetID])
    let credentials = try DeviceCredentials(
      await server.send("GET", SelfServicePath.credentials, headers: alice).json)
    let credential = SelfServicePath.credential(try #require(credentials.entries.first).externalID)
    let device = SelfServicePath.device(lost.targetID)
    for path in [credential, device] {
      #expect(try await server.send("DELETE", path, headers: bob).response.status == 404)
      #expect(try await server.send("DELETE", path).response.status == 401)
    }
    #expect(try await server.send("DELETE", credential, headers: alice).response.status == 204)
    #expect(try await server.credentials(of: "alice").map(\.deviceID) == ["device-3"])
    #expect(try await server.send("DELETE", device, headers: alice).response.status == 204)
    #expect(try await server.credentials(of: "bob").count == 1)
  }

  @Test func `the audit trail names what happened and contains no secret`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let token = try await server.register(authenticator, "alice", deviceID: "device-1")
    _ = try await server.authenticate(authenticator, "alice")
    _ = try await server.send("GET", SelfServicePath.devices, headers: TestServer.bearer("guess"))
    let (response, json) = try await server.send("GET", OperatorPath.audit + "?limit=10", headers: Self.asOperator)
    #expect(response.status == 200)
    let entries = try #require(json["entries"]?.list)
    #expect(entries.compactMap { $0["event"]?.text } == ["wrongToken", "authentication", "registration"])
    #expect(entries.compactMap { $0["result"]?.text } == ["refused", "1200", "1200"])
    for secret in [token, "guess", authenticator.keyID.json.text ?? ""] { #expect(!json.compact.contains(secret)) }
    for limit in ["0", "1001", "x", ""] {
      let path = OperatorPath.audit + "?limit=\(limit)"
      #expect(try await server.send("GET", path, headers: Self.asOperator).response.status == 400, "\(limit)")
    }
  }
}

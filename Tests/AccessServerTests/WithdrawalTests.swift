import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Withdrawal")
struct WithdrawalTests {
  /// Alice with a key on each of two devices, of which the first one is lost.
  struct Loss {
    let server: TestServer
    let lost: TestDevice
    /// What the lost device was authorised with, and what the other device is.
    let stolen, own: String
    let key = TestAuthenticator("F1D0#1003")

    init() async throws {
      server = try await TestServer()
      stolen = try await server.register(key, "alice", token: TestServer.operatorToken, deviceID: "device-1")
      own = try await server.register(
        TestAuthenticator(), "alice", token: TestServer.operatorToken, deviceID: "device-2")
      lost = try await server.add(TestDevice("device-1"), "alice")
    }

    func end(_ cause: Cause) async throws {
      let id = lost.targetID
      let asOperator = TestServer.bearer(TestServer.operatorToken)
      let (method, path, body, headers): (String, String, JSONValue?, [(name: String, value: String)]) =
        switch cause {
        case .deactivated: ("PATCH", OperatorPath.device(id), DeviceStateChange(isActive: false).json, asOperator)
        case .removed: ("DELETE", OperatorPath.device(id), nil, asOperator)
        case .removedByUser: ("DELETE", SelfServicePath.device(id), nil, TestServer.bearer(own))
        case .targetRemovedByUser: ("DELETE", AccessPath.dispatchTarget(id), nil, TestServer.bearer(own))
        }
      #expect(try await server.send(method, path, body, headers: headers).response.status == 204)
    }

    func status(_ method: String, _ path: String, _ token: String) async throws -> Int {
      try await server.send(method, path, headers: TestServer.bearer(token)).response.status
    }
  }

  enum Cause: CaseIterable { case deactivated, removed, removedByUser, targetRemovedByUser }

  @Test(arguments: Cause.allCases)
  func `a registration request of a device that is withdrawn afterwards registers no key`(_ cause: Cause) async throws {
    let loss = try await Loss()
    let request = try await loss.server.registrationRequest("alice", token: loss.stolen)
    try await loss.end(cause)
    let before = try await loss.server.credentials(of: "alice").map(\.keyID)
    let response = try TestAuthenticator("F1D0#1005").registration(request)
    let result = try await loss.server.respond(
      .registrationResponse(response), context: ResponseContext(deviceID: "device-1"))
    #expect(result.status == .requestInvalid)
    #expect(try await loss.server.credentials(of: "alice").map(\.keyID) == before)
  }

  @Test(arguments: Cause.allCases)
  func `the authorization of a device that is withdrawn lists, deletes and registers nothing`(_ cause: Cause)
    async throws
  {
    let loss = try await Loss()
    let own = try #require(await loss.server.credentials(of: "alice").first { $0.deviceID == "device-2" })
    try await loss.end(cause)
    #expect(try await loss.status("GET", SelfServicePath.credentials, loss.stolen) == 401)
    #expect(try await loss.status("DELETE", SelfServicePath.credential(own.externalID), loss.stolen) == 401)
    let request = try await loss.server.request(
      .registration, RequestContext(userName: "alice"), token: loss.stolen)
    #expect(request.status == 401)
    #expect(try await loss.status("GET", SelfServicePath.credentials, loss.own) == 200)
  }

  @Test func `a deactivation holds when the user removes the device and registers it again`() async throws {
    let loss = try await Loss()
    try await loss.end(.deactivated)
    #expect(try await loss.status("DELETE", AccessPath.dispatchTarget(loss.lost.targetID), loss.own) == 204)
    #expect(try await loss.server.authenticate(loss.key, "alice").status != .ok)
    let again = try await loss.server.send(
      "POST", AccessPath.dispatchTargets, loss.lost.registration("alice"), headers: TestServer.bearer(loss.own))
    #expect(again.response.status == 403)
  }
}

import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JOSE
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Dispatch targets and the device service")
struct DeviceTests {
  static func server() async throws -> (TestServer, TestDevice) {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    return (server, try await server.add(TestDevice(), "alice"))
  }

  /// Bytes that are in base64url a text with a hyphen at its beginning.
  private struct HyphenSource: RandomSource {
    func octets(_ count: Int) -> [UInt8] { [0xF8] + SystemRandomSource().octets(count - 1) }
  }

  @Test func `an identifier begins with a letter: a command line would take a hyphen for an option`() async throws {
    let server = try await TestServer(random: HyphenSource())
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let identifier = try await server.add(TestDevice(), "alice").targetID
    #expect(identifier.first?.isLetter == true && identifier.count == 22, "\(identifier)")
  }

  @Test func `a name is unique in its account`() async throws {
    let (server, device) = try await Self.server()
    let other = try TestDevice("device-2")
    func add(_ device: TestDevice, _ account: String) async throws -> Int {
      try await server.send(
        "POST", AccessPath.dispatchTargets, device.registration(account), headers: OperatorTests.asOperator
      ).response.status
    }
    #expect(try await add(other, "alice") == 422)
    #expect(try await add(other, "unknown") == 403)
    try await server.register(TestAuthenticator(), "bob")
    #expect(try await add(other, "bob") == 201)
    // The response was lost: the same device asks again.
    let again = try await server.send(
      "POST", AccessPath.dispatchTargets, device.registration("alice"), headers: OperatorTests.asOperator)
    #expect(try DispatchTargetIdentifiers(again.json).id == device.targetID)
    var unknown = try DispatchTargetRegistration(other.registration("alice", name: "Tablet"))
    unknown.dispatcher = "pigeon"
    let refused = try await server.send(
      "POST", AccessPath.dispatchTargets, unknown.json, headers: OperatorTests.asOperator)
    #expect(refused.response.status == 422)
  }

  @Test func `a device with new keys takes the place of its former identifier in one account`() async throws {
    let server = try await TestServer()
    let authorization = try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    try await server.register(TestAuthenticator(), "bob", deviceID: "device-1")
    let former = try await server.add(TestDevice(), "alice")
    let bobs = try await server.add(former, "bob")
    func replace(_ token: String) async throws -> (response: AccessResponse, json: JSONValue) {
      var body = try DispatchTargetRegistration(TestDevice("device-2").registration("alice"))
      body.replaces = "device-1"
      return try await server.send(
        "POST", AccessPath.dispatchTargets, body.json, headers: TestServer.bearer(token))
    }
    let replaced = try await replace(authorization)
    #expect(replaced.response.status == 201)
    let target = try DispatchTargetIdentifiers(replaced.json).id
    #expect(try await server.device(target)?.name == "Phone")
    #expect(try await server.device(former.targetID) == nil)
    #expect(try await server.device(bobs.targetID) != nil)
    #expect(try await server.credentials(of: "alice").map(\.deviceID) == ["device-2"])
    #expect(try await server.credentials(of: "bob").map(\.deviceID) == ["device-1"])
  }

  @Test func `a device that the operator has deactivated gets no target with new keys`() async throws {
    let (server, device) = try await Self.server()
    let deactivated = try await server.send(
      "PATCH", OperatorPath.device(device.targetID), DeviceStateChange(isActive: false).json,
      headers: OperatorTests.asOperator)
    #expect(deactivated.response.status == 204)
    var body = try DispatchTargetRegistration(TestDevice("device-2").registration("alice"))
    body.replaces = device.deviceID
    let refused = try await server.send(
      "POST", AccessPath.dispatchTargets, body.json, headers: OperatorTests.asOperator)
    #expect(refused.response.status == 403)
    #expect(try await server.device(device.targetID) != nil)
  }

  @Test(arguments: [true, false])
  func `a target needs the authorization of its user, and a used registration token does not authorize it`(isOpen: Bool)
    async throws
  {
    let server = try await TestServer { $0.openRegistration = isOpen }
    let added = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: "alice").json,
      headers: TestServer.bearer(TestServer.operatorToken))
    let token = try AddedUser(added.json).registrationToken
    let authorization = try await server.register(TestAuthenticator(), "alice", token: token)
    let device = try TestDevice()
    for (token, status) in [(nil, 401), ("wrong", 401), (token, 403), (authorization, 201)] {
      let result = try await server.send(
        "POST", AccessPath.dispatchTargets, device.registration("alice"), headers: token.map(TestServer.bearer) ?? [])
      #expect(result.response.status == status)
    }
    let foreign = try await server.send(
      "POST", AccessPath.dispatchTargets, device.registration("bob"), headers: TestServer.bearer(authorization))
    #expect(foreign.response.status == 403)
  }

  @Test func `a device changes its name and its push token`() async throws {
    let (server, device) = try await Self.server()
    let target = device.targetID
    for (change, name, push) in [
      (DispatchTargetChange(name: "Tablet"), "Tablet", "push-token"),
      (DispatchTargetChange(pushTarget: .disabled), "Tablet", nil),
      (DispatchTargetChange(pushTarget: .enabled("new")), "Tablet", "new"),
    ] as [(DispatchTargetChange, String, String?)] {
      let response = await server.change(target, try device.signature(server, .change, change: change))
      #expect(response.status == 204)
      let stored = try await server.device(target)
      #expect(stored?.name == name)
      #expect(stored?.pushTarget == push)
    }
    let other = try await server.add(TestDevice("device-2"), "alice", name: "Phone")
    let taken = DispatchTargetChange(name: "Tablet")
    #expect(await server.change(other.targetID, try other.signature(server, .change, change: taken)).status == 422)
    let unknown = DispatchTargetChange(dispatcher: "pigeon")
    #expect(await server.change(target, try device.signature(server, .change, change: unknown)).status == 422)
    #expect(await server.change("none", try device.signature(server, .change)).status == 404)
  }

  @Test func `a signed request is accepted once`() async throws {
    let (server, device) = try await Self.server()
    let change = DispatchTargetChange(name: "Tablet")
    let signature = try device.signature(server, .change, change: change)
    #expect(await server.change(device.targetID, signature).status == 204)
    let replay = await server.change(device.targetID, signature)
    #expect(replay.status == 401)
    #expect(try AccessFailure(JSONValue(parsing: replay.body)).code == .replay)
    let sameID = try device.signature(server, .change, id: "1")
    #expect(await server.change(device.targetID, sameID).status == 204)
    let path = AccessPath.deviceCredentials(device.deviceID)
    let headers = TestServer.signed(try device.signature(server, .credentials, id: "1"))
    #expect(try await server.send("GET", path, headers: headers).response.status == 401)
  }

  @Test(arguments: [(-300_000, 204), (300_000, 204), (-300_001, 401), (300_001, 401)] as [(Int64, Int)])
  func `the clocks may differ by five minutes`(skew: Int64, status: Int) async throws {
    let (server, device) = try await Self.server()
    let response = await server.change(device.targetID, try device.signature(server, .change, skew: skew))
    #expect(response.status == status)
    if status == 401 { #expect(try AccessFailure(JSONValue(parsing: response.body)).code == .clockSkew) }
  }

  @Test func `a request identifier stays used as long as its time is accepted`() async throws {
    let (server, device) = try await Self.server()
    let early = try device.signature(server, .change, skew: 300_000)
    #expect(await server.change(device.targetID, early).status == 204)
    server.advance(seconds: 600)
    _ = try await server.service.removeExpired()
    #expect(await server.change(device.targetID, early).status == 401)
  }

  @Test func `a device reads and changes itself only`() async throws {
    let (server, device) = try await Self.server()
    let other = try await server.add(TestDevice("device-2"), "alice", name: "Tablet")
    let change = DispatchTargetChange(name: "Stolen")
    #expect(await server.change(device.targetID, try other.signature(server, .change, change: change)).status == 401)
    var pretender = try TestDevice()
    pretender.targetID = device.targetID
    let forged = try pretender.signature(server, .change, change: change)
    #expect(await server.change(device.targetID, forged).status == 401)
    for path in [AccessPath.deviceCredentials(device.deviceID), AccessPath.deviceOperations(device.deviceID)] {
      let purpose: DeviceRequest.Purpose = path.contains("credentials") ? .credentials : .operations
      func status(_ signature: String?) async throws -> Int {
        try await server.send("GET", path, headers: signature.map(TestServer.signed) ?? []).response.status
      }
      #expect(try await status(device.signature(server, purpose)) == 200)
      #expect(try await status(other.signature(server, purpose)) == 401)
      #expect(try await status(pretender.signature(server, purpose)) == 401)
      #expect(try await status(device.signature(server, .removal)) == 401)
      #expect(try await status(device.signature(server, nil)) == (purpose == .credentials ? 200 : 401))
      #expect(try await status(nil) == 401)
      #expect(try await status("x.y") == 400)
    }
  }

  @Test func `a device lists its credentials, encrypted for it`() async throws {
    let (server, device) = try await Self.server()
    try await server.register(TestAuthenticator("F1D0#1003"), "alice", deviceID: "device-2")
    let headers =
      try TestServer.signed(device.signature(server, .credentials)) + [(name: "accept", value: "application/jose")]
    let response = try await server.send("GET", AccessPath.deviceCredentials("device-1"), headers: headers).response
    #expect(response.headers.first { $0.name == "content-type" }?.value == "application/jose;charset=UTF-8")
    let list = try DeviceCredentials(device.decrypt(String(decoding: response.body, as: UTF8.self)))
    #expect(list.entries.map(\.aaid.description) == ["F1D0#1001"])
  }

  @Test func `a deactivated device does nothing, and its keys do not authenticate`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    let authorization = try await server.register(authenticator, "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice")
    let request = try await server.authenticationRequest(RequestContext(userName: "alice"))
    let headers = TestServer.bearer(TestServer.operatorToken)
    func setActive(_ isActive: Bool) async throws -> Int {
      let body = DeviceStateChange(isActive: isActive).json
      return try await server.send("PATCH", OperatorPath.device(device.targetID), body, headers: headers).response
        .status
    }
    #expect(try await setActive(false) == 204)
    #expect(await server.change(device.targetID, try device.signature(server, .change)).status == 403)
    let waiting = try await server.respond(.authenticationResponse(authenticator.authentication(request)))
    #expect(waiting.status == .requestInvalid)
    let refused = try await server.request(.authentication, RequestContext(userName: "alice")).body
    #expect(refused?.status == .forbidden)
    let path = SelfServicePath.devices
    #expect(try await server.send("GET", path, headers: TestServer.bearer(authorization)).response.status == 401)
    #expect(try await setActive(true) == 204)
    #expect(try await server.authenticate(authenticator, "alice").status == .ok)
  }

  @Test func `a device deregisters by its signature its own keys only`() async throws {
    let (server, device) = try await Self.server()
    let others: [(model: String, device: String?)] = [("F1D0#1003", "device-2"), ("F1D0#1005", nil)]
    for other in others {
      try await server.register(TestAuthenticator(other.model), "alice", deviceID: other.device)
    }
    let foreign = try await server.credentials(of: "alice").dropFirst().map(\.key)
    let targets = foreign.compactMap { key -> DeregistrationRequest.Target? in
      guard let aaid = AAID(key.aaid), let keyID = KeyID(key.keyID) else { return nil }
      return .key(aaid, keyID)
    }
    for (context, status) in [
      (RequestContext(userName: "alice", targets: targets), UAFStatusCode.notFound), (RequestContext(), .ok),
      (RequestContext(), .notFound),
    ] {
      let request = GetUAFRequest(.deregistration, context: context.json.compact)
      let json = try await server.send(
        "POST", AccessPath.deregistrationRequest, request.json, type: MediaType.uaf,
        headers: TestServer.signed(device.signature(server, .deregistration))
      ).json
      #expect(try ReturnUAFRequest(json).status == status)
    }
    #expect(try await server.credentials(of: "alice").map(\.key) == Array(foreign))
  }

  @Test func `a device deregisters its account and removes its target by its signature`() async throws {
    let (server, device) = try await Self.server()
    let (response, json) = try await server.send(
      "POST", AccessPath.deregistrationRequest, GetUAFRequest(.deregistration).json, type: MediaType.uaf,
      headers: TestServer.signed(device.signature(server, .deregistration)))
    #expect(response.status == 200)
    #expect(try ReturnUAFRequest(json).status == .ok)
    #expect(try await server.credentials(of: "alice").isEmpty)
    let path = AccessPath.dispatchTarget(device.targetID)
    #expect(try await server.send("DELETE", path).response.status == 401)
    let removal = TestServer.signed(try device.signature(server, .removal))
    #expect(try await server.send("DELETE", path, headers: removal).response.status == 204)
    #expect(try await server.send("DELETE", path, headers: removal).response.status == 404)
  }
}

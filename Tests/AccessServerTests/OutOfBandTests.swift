import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JOSE
import JSON
import QRCode
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("Out-of-band operations")
struct OutOfBandTests {
  static let asOperator = TestServer.bearer(TestServer.operatorToken)

  static func dispatch(
    _ server: TestServer, _ operation: UAFOperation, _ context: RequestContext, _ channel: DispatchChannel,
    target: String? = nil, headers: [(name: String, value: String)] = asOperator
  ) async throws -> (status: Int, body: DispatchResponse?) {
    let body = DispatchRequest(
      GetUAFRequest(operation, context: context.json.compact), dispatcher: channel.rawValue, targetID: target,
      information: ["title": "Confirm"])
    let (response, json) = try await server.send(
      "POST", AccessPath.dispatch(operation), body.json, headers: headers)
    return (response.status, response.status == 200 ? try DispatchResponse(json) : nil)
  }

  static func redeem(
    _ server: TestServer, _ token: String, _ operation: UAFOperation
  ) async throws -> ReturnUAFRequest {
    try ReturnUAFRequest(
      await server.send("POST", AccessPath.redeem(operation), RedeemRequest(token: token).json).json)
  }

  static func status(_ server: TestServer, _ sessionID: String?) async throws -> OperationStatus {
    let request = try StatusRequest(sessionID: #require(sessionID))
    return try OperationStatus(await server.send("POST", AccessPath.status, request.json).json)
  }

  @Test func `a link without a target carries a plain token, which is redeemed once`() async throws {
    let server = try await TestServer()
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, "alice")
    let context = RequestContext(userName: "alice", transaction: "Pay 5")
    let dispatched = try #require(try await Self.dispatch(server, .authentication, context, .link).body)
    #expect(dispatched.result == .dispatched)
    #expect(try await Self.status(server, dispatched.sessionID).state == .tokenCreated)
    let link = try #require(dispatched.response)
    #expect(link.hasPrefix("https://server.test/open?dispatchTokenResponse="))
    let payload = try OutOfBandPayload(base64URL: String(link.split(separator: "=")[1]))
    guard case .plain(let data) = payload.content else {
      Issue.record("a payload without a target is plain")
      return
    }
    #expect(data.token == dispatched.token)
    #expect(data.redeemURL == "https://server.test/nevisfido/token/redeem/authentication")

    let redeemed = try await Self.redeem(server, data.token, .authentication)
    guard case .authenticationRequest(let request) = try UAFMessage(request: #require(redeemed.message)) else {
      throw TestServer.UnexpectedMessage()
    }
    #expect(request.transactions?.first?.text == "Pay 5")
    #expect(try await Self.status(server, dispatched.sessionID).state == .clientAuthenticating)
    #expect(try await Self.redeem(server, data.token, .authentication).status == .requestInvalid)
    let response = try authenticator.authentication(request, confirming: request.transactions?.first)
    #expect(try await server.respond(.authenticationResponse(response)).status == .ok)
    let final = try await Self.status(server, dispatched.sessionID)
    #expect(final.state == .succeeded)
    #expect(final.token?.result == .tokenRedeemed)
    #expect(final.authenticators.map(\.aaid) == ["F1D0#1001"])
  }

  @Test func `a token expires after five minutes, and fits its operation only`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    let context = RequestContext(userName: "alice")
    let dispatched = try #require(try await Self.dispatch(server, .authentication, context, .link).body)
    let token = try #require(dispatched.token)
    #expect(try await Self.redeem(server, token, .registration).status == .notFound)
    #expect(try await Self.redeem(server, "unknown", .authentication).status == .notFound)
    server.advance(seconds: 300)
    #expect(try await Self.redeem(server, token, .authentication).status == .requestTimeout)
    let status = try await Self.status(server, dispatched.sessionID)
    #expect(status.state == .failed)
    #expect(status.token?.result == .tokenTimedOut)
  }

  @Test func `a redemption that is refused leaves its token, and it is redeemed when the reason is gone`() async throws
  {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice")
    func setActive(_ isActive: Bool) async throws {
      let answer = try await server.send(
        "PATCH", OperatorPath.device(device.targetID), DeviceStateChange(isActive: isActive).json,
        headers: TestServer.bearer(TestServer.operatorToken))
      try #require(answer.response.status == 204, "\(answer.json.compact)")
    }
    try await setActive(false)
    let context = RequestContext(userName: "alice")
    let token = try #require(try await Self.dispatch(server, .authentication, context, .link).body?.token)
    #expect(try await Self.redeem(server, token, .authentication).status == .forbidden)
    try await setActive(true)
    #expect(try await Self.redeem(server, token, .authentication).status == .ok)
    #expect(try await Self.redeem(server, token, .authentication).status == .requestInvalid)
  }

  @Test func `a registration and a deregistration are dispatched too`() async throws {
    let server = try await TestServer { $0.openRegistration = false }
    let authenticator = TestAuthenticator()
    let context = RequestContext(userName: "alice")
    let dispatched = try #require(try await Self.dispatch(server, .registration, context, .qrCode).body)
    let png = try #require(dispatched.response).replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
    let payload = try OutOfBandPayload(base64URL: QRCode.text(inPNG: [UInt8](base64URL: png)))
    guard case .plain(let data) = payload.content else {
      Issue.record("a payload without a target is plain")
      return
    }
    let redeemed = try await Self.redeem(server, data.token, .registration)
    guard case .registrationRequest(let request) = try UAFMessage(request: #require(redeemed.message)) else {
      throw TestServer.UnexpectedMessage()
    }
    let result = try await server.respond(.registrationResponse(authenticator.registration(request)))
    #expect(result.status == .ok)
    let removal = try #require(try await Self.dispatch(server, .deregistration, context, .link).body)
    let message = try await Self.redeem(server, #require(removal.token), .deregistration).message
    guard case .deregistrationRequest(let deregistration) = try UAFMessage(request: #require(message)) else {
      throw TestServer.UnexpectedMessage()
    }
    #expect(deregistration.targets == [.key(authenticator.aaid, authenticator.keyID)])
    #expect(try await server.credentials(of: "alice").isEmpty)
  }

  @Test func `a payload for a device is encrypted, and pending until it is redeemed`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice")
    let context = RequestContext(userName: "alice")
    let dispatched = try #require(try await Self.dispatch(server, .authentication, context, .push).body)
    #expect(dispatched.result == .dispatched)
    #expect(dispatched.response == nil)
    let pending = try await Self.pending(server, device)
    #expect(pending.entries.map(\.channel) == ["firebase-cloud-messaging"])
    #expect(pending.entries.first?.information == "{\"title\": \"Confirm\"}")
    guard case .encrypted(let text)? = pending.entries.first?.payload.content else {
      Issue.record("a payload for a device is encrypted")
      return
    }
    let data = try OutOfBandPayload.RedeemData(device.decrypt(text))
    #expect(data.token == dispatched.token)
    _ = try await Self.redeem(server, data.token, .authentication)
    #expect(try await Self.pending(server, device).entries.isEmpty)
    _ = try await Self.dispatch(server, .authentication, context, .link, target: device.targetID)
    #expect(try await Self.pending(server, device).entries.count == 1)
    server.advance(seconds: 300)
    #expect(try await Self.pending(server, device).entries.isEmpty)
  }

  static func pending(_ server: TestServer, _ device: TestDevice) async throws -> PendingOperations {
    let headers =
      try TestServer.signed(device.signature(server, .operations)) + [(name: "accept", value: "application/jose")]
    let response = try await server.send("GET", AccessPath.deviceOperations(device.deviceID), headers: headers).response
    try #require(response.status == 200)
    return try PendingOperations(device.decrypt(String(decoding: response.body, as: UTF8.self)))
  }

  @Test func `a dispatch that fails has status 200 and says why`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    try await server.register(TestAuthenticator(), "bob")
    let device = try await server.add(TestDevice(), "alice", push: nil)
    let alice = RequestContext(userName: "alice")
    func result(
      _ operation: UAFOperation, _ context: RequestContext, _ channel: DispatchChannel, _ target: String? = nil
    ) async throws -> DispatchResponse.Result? {
      try await Self.dispatch(server, operation, context, channel, target: target).body?.result
    }
    #expect(try await result(.authentication, RequestContext(userName: "eve"), .link) == .userNotFound)
    #expect(try await result(.deregistration, RequestContext(), .link) == .userNotFound)
    #expect(try await result(.authentication, alice, .link, "none") == .dispatchTargetNotFound)
    #expect(try await result(.authentication, alice, .push) == .dispatchTargetNotFound)
    #expect(
      try await result(.authentication, RequestContext(userName: "bob"), .link, device.targetID)
        == .dispatchTargetNotFound)
    let body = DispatchRequest(GetUAFRequest(.authentication, context: alice.json.compact), dispatcher: "pigeon")
    let json = try await server.send(
      "POST", AccessPath.dispatch(.authentication), body.json, headers: Self.asOperator
    ).json
    #expect(try DispatchResponse(json).result == .dispatcherNotFound)
    _ = try await server.send(
      "PATCH", OperatorPath.device(device.targetID), DeviceStateChange(isActive: false).json, headers: Self.asOperator)
    #expect(try await result(.authentication, alice, .link, device.targetID) == .dispatchTargetExpired)
  }

  @Test func `only the operator and the user dispatch`() async throws {
    let server = try await TestServer()
    let alice = TestServer.bearer(try await server.register(TestAuthenticator(), "alice"))
    try await server.register(TestAuthenticator(), "bob")
    let context = RequestContext(userName: "alice")
    #expect(try await Self.dispatch(server, .authentication, context, .link, headers: []).status == 401)
    #expect(try await Self.dispatch(server, .authentication, context, .link, headers: alice).status == 200)
    let other = RequestContext(userName: "bob")
    #expect(try await Self.dispatch(server, .authentication, other, .link, headers: alice).status == 403)
    #expect(
      try await Self.dispatch(server, .authentication, context, .link, headers: TestServer.bearer("wrong")).status
        == 401)
  }

  @Test func `redemptions of a used token are audited in powers of ten`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice")
    let context = RequestContext(userName: "alice")
    let token = try #require(try await Self.dispatch(server, .authentication, context, .link).body?.token)
    for number in 0...120 {
      let status = try await Self.redeem(server, token, .authentication).status
      #expect(status == (number == 0 ? .ok : .requestInvalid))
    }
    let entries = try await server.store.read { store throws(AccessError) in try store.auditEntries(limit: 999) }
    #expect(
      entries.filter { $0.event == "redemption" }.map(\.result)
        == ["1491, 100 times", "1491, 10 times", "1491", "redeemed"])
  }

  @Test func `wrong tokens of an address do not block the right ones, and are audited in powers of ten`() async throws {
    let server = try await TestServer()
    for number in 1...101 {
      #expect(try await Self.redeem(server, "wrong \(number)", .authentication).status == .notFound)
      let wrong = TestServer.bearer("wrong \(number)")
      #expect(try await server.send("GET", OperatorPath.devices, headers: wrong).response.status == 401)
    }
    let token = TestServer.bearer(TestServer.operatorToken)
    #expect(try await server.send("GET", OperatorPath.devices, headers: token).response.status == 200)
    let entries = try await server.store.read { store throws(AccessError) in try store.auditEntries(limit: 999) }
    #expect(
      entries.filter { $0.event == "wrongToken" }.map(\.result) == [
        "refused, 100 times", "refused, 10 times", "refused",
      ])
  }
}

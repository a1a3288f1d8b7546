import AccessMessages
import Documents
import FIDOUAF
import JOSE
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

/// The move of a device from the identity that it had at all its issuers to one of this issuer.
@Suite("The move of a device to another identity")
struct IdentityMoveTests {
  let server: TestServer
  let former: TestWalletDevice
  let new: TestWalletDevice

  init() async throws {
    server = try await TestServer { $0.legacySignatures = true }
    (former, new) = (try TestWalletDevice("former"), try TestWalletDevice("new"))
  }

  /// Sends a move that both keys sign.
  func move(
    from former: TestWalletDevice, to new: TestWalletDevice, at server: TestServer? = nil,
    audience: String = TestServer.origin, headerAudience: String? = TestServer.origin,
    signedBy signer: TestWalletDevice? = nil, _ change: (inout IdentityMove) -> Void = { _ in }
  ) async throws -> (status: Int, code: String?) {
    let server = server ?? self.server
    var payload = IdentityMove(
      deviceID: new.deviceID, signatureKey: new.signatureKey.publicKey, encryptionKey: new.encryptionKey.publicKey,
      formerDeviceID: former.deviceID, formerSignatureKey: former.signatureKey.publicKey, audience: audience)
    change(&payload)
    let body = Array(
      try JSONWebSignature.compact(
        signing: Array(payload.json.compact.utf8), with: (signer ?? new).signatureKey
      ).utf8)
    let signature = try DeviceSignature(
      method: "POST", path: WalletPath.identity, body: body, issuedAt: server.clock.now.epochMilliseconds,
      id: SystemRandomSource().octets(16).base64URL, audience: headerAudience
    ).compact(deviceID: former.deviceID, key: former.signatureKey, statesKey: true)
    let response = await server.respond(
      to: AccessRequest(
        "POST", WalletPath.identity,
        headers: TestServer.signed(signature) + [(name: "content-type", value: "application/jose;charset=UTF-8")],
        body: body, address: server.address))
    guard !response.body.isEmpty else { return (response.status, nil) }
    return (response.status, try JSONValue(parsing: response.body).refusal)
  }

  /// The request of an older client.
  func oldStatus(_ device: TestWalletDevice, at server: TestServer? = nil) async throws -> Int {
    let server = server ?? self.server
    let signature = try device.signature(
      "GET", WalletPath.device, nil, at: server.clock.now.epochMilliseconds, audience: nil)
    return try await server.send("GET", WalletPath.device, headers: TestServer.signed(signature)).response.status
  }

  @Test func `an older client is served until it has moved, and unless the configuration refuses it`() async throws {
    try await server.link(former)
    #expect(try await oldStatus(former) == 200)
    #expect(try await oldStatus(former, at: server.reloaded { $0.legacySignatures = false }) == 401)
    #expect(try await move(from: former, to: new).status == 204)
    #expect(try await oldStatus(former) == 401)
    #expect(try await server.wallet("GET", WalletPath.device, by: former).status == 401)
  }

  @Test func `the wallet, its session and its name are those of the new identity`() async throws {
    let session = try await server.link(former)
    #expect(try await move(from: former, to: new).status == 204)
    #expect(try await server.status(of: new).isActive)
    #expect(try await server.isLoggedIn(session, new))
    #expect(try await server.wallet("GET", WalletPath.devices, by: former, session: session).status == 401)
    let other = TestWalletDevice("former", keysOf: try TestWalletDevice())
    #expect(try await !server.status(of: other).isRegistered)
  }

  @Test func `a move is repeated by the same identity and no other one`() async throws {
    try await server.link(former)
    for _ in 1...2 { #expect(try await move(from: former, to: new).status == 204) }
    #expect(try await move(from: former, to: TestWalletDevice("third")).status == 401)
    #expect(try await server.status(of: new).isActive)
  }

  @Test func `a move to an identity that has a wallet is refused`() async throws {
    try await server.link(former)
    var profile = TestServer.profile
    profile.email = "bob@example.org"
    try await server.link(new, profile)
    let answer = try await move(from: former, to: new)
    #expect(answer.status == 409 && answer.code == "deviceLinked")
    #expect(try await server.status(of: former).isActive)
  }

  @Test func `a device that the server does not know does not move`() async throws {
    let answer = try await move(from: former, to: new)
    #expect(answer.status == 403 && answer.code == "notRegistered")
  }

  @Test func `a move that was signed for another server, by one key only or for another device is refused`()
    async throws
  {
    try await server.link(former)
    let evil = "https://evil.test"
    let strict = server.reloaded { $0.legacySignatures = false }
    for server in [server, strict] {
      #expect(try await move(from: former, to: new, at: server, audience: evil, headerAudience: evil).status == 401)
      #expect(try await move(from: former, to: new, at: server, audience: evil).status == 401)
      #expect(try await move(from: former, to: new, at: server, headerAudience: evil).status == 401)
      #expect(try await move(from: former, to: new, at: server, headerAudience: nil).status == 401)
      #expect(try await move(from: former, to: new, at: server, signedBy: former).status == 401)
      let third = try TestWalletDevice("former")
      #expect(try await move(from: third, to: new, at: server).status == 401)
      #expect(try await move(from: former, to: new, at: server) { $0.formerDeviceID = "other" }.status == 401)
      let key = third.signatureKey.publicKey
      #expect(try await move(from: former, to: new, at: server) { $0.formerSignatureKey = key }.status == 401)
    }
    #expect(try await server.status(of: former).isActive)
  }

  private func operate(_ method: String, _ body: JSONValue? = nil) async throws {
    let path = OperatorPath.walletDevice(former.deviceID)
    let answer = try await server.send(method, path, body, headers: TestServer.operatorBearer)
    try #require((200...204).contains(answer.response.status))
  }

  @Test func `a deactivation moves with a linked device`() async throws {
    try await server.link(former)
    try await operate("PATCH", DeviceStateChange(isActive: false).json)
    #expect(try await move(from: former, to: new).status == 204)
    #expect(try await !server.status(of: new).isActive)
  }

  @Test func `a deactivated device that was unlinked moves after it was activated, whatever key it states`()
    async throws
  {
    try await server.link(former)
    try await operate("PATCH", DeviceStateChange(isActive: false).json)
    try await operate("DELETE")
    for device in [former, TestWalletDevice(former.deviceID, keysOf: try TestWalletDevice())] {
      let answer = try await move(from: device, to: new)
      #expect(answer.status == 403 && answer.code == "deviceInactive")
    }
    let prompt = try await server.logIn(by: former)
    #expect(prompt.status == 412)
    #expect(try await server.answer(prompt.json, by: former).json.refusal == "deviceInactive")

    try await operate("PATCH", DeviceStateChange(isActive: true).json)
    #expect(try await move(from: former, to: new).code == "notRegistered")
  }

  @Test func `a stranger who links a deactivated identifier does not move its deactivation away`() async throws {
    try await server.link(former)
    try await operate("PATCH", DeviceStateChange(isActive: false).json)
    try await operate("DELETE")
    let stranger = TestWalletDevice(former.deviceID, keysOf: try TestWalletDevice())
    var profile = TestServer.profile
    profile.email = "bob@example.org"
    try await server.link(stranger, profile)
    #expect(try await move(from: stranger, to: new).code == "deviceInactive")
    #expect(try await server.status(of: stranger).isActive)
  }

  @Test func `the targets, credentials and authorizations of accounts are those of the new identity`() async throws {
    let authorization = try await server.register(TestAuthenticator(), "alice", deviceID: "former")
    var device = try await server.add(TestDevice("former"), "alice")
    let keys = TestWalletDevice(device)
    #expect(try await move(from: keys, to: new).status == 204)
    let stored = try #require(try await server.device(device.targetID))
    #expect(stored.deviceID == "new" && stored.account == "alice")
    #expect(try await server.credentials(of: "alice").map(\.deviceID) == ["new"])
    #expect(
      try await server.send(
        "GET", AccessPath.dispatchTargets + "?username=alice", headers: TestServer.bearer(authorization)
      ).response.status == 200)
    #expect(await server.change(device.targetID, try device.signature(server, .change)).status == 401)
    device.targetID = stored.id
    let again = try await server.send(
      "POST", AccessPath.dispatchTargets, device.registration("alice", name: "Again"),
      headers: TestServer.operatorBearer)
    #expect(again.response.status == 401)
  }
}

extension TestWalletDevice {
  /// The device of an account, as one that signs requests to wallet access.
  fileprivate init(_ device: TestDevice) {
    self.init(device.deviceID, device.signatureKey, device.encryptionKey)
  }
}

import AccessMessages
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("Sessions of a wallet")
struct WalletSessionTests {
  let server: TestServer
  let device: TestWalletDevice
  let session: String

  init() async throws {
    server = try await TestServer()
    device = try TestWalletDevice()
    session = try await server.link(device)
  }

  @Test func `a logout ends the session, and another one is refused`() async throws {
    #expect(try await server.isLoggedIn(session, device))
    #expect(try await server.wallet("DELETE", WalletPath.currentSession, by: device, session: session).status == 204)
    let again = try await server.wallet("DELETE", WalletPath.currentSession, by: device, session: session)
    #expect(again.status == 403 && again.json.refusal == "notLoggedIn")
    #expect(try await server.isLoggedIn(session, device) == false)
  }

  @Test func `a session ends after the issuer's time without a request, and a request starts the time again`()
    async throws
  {
    server.advance(seconds: 599)
    #expect(try await server.isLoggedIn(session, device))
    server.advance(seconds: 599)
    #expect(try await server.isLoggedIn(session, device))
    server.advance(seconds: 600)
    let late = try await server.wallet("GET", WalletPath.devices, by: device, session: session)
    #expect(late.status == 403 && late.json.refusal == "notLoggedIn")
    #expect(try await server.auditText().contains("inactivity"))
  }

  @Test func `a shorter limit of the user ends the session, and the issuer's limits a longer one`() async throws {
    let opening = SessionOpening(.pin("8203"), idleSeconds: 120)
    let login = try await server.wallet("POST", WalletPath.sessions, opening.json, by: device)
    let own = try WalletSession(login.json)
    #expect(own.idleSeconds == 120)
    server.advance(seconds: 119)
    #expect(try await server.isLoggedIn(own.session, device))
    func renew(_ limit: Int?) async throws -> Int? {
      try await server.wallet(
        "PATCH", WalletPath.currentSession, SessionLimit(limit).json, by: device, session: own.session
      ).json["idleSeconds"]?.integer
    }
    #expect(try await renew(nil) == 120)
    #expect(try await renew(86_400) == 600)
    server.advance(seconds: 599)
    #expect(try await renew(60) == 60)
    server.advance(seconds: 60)
    #expect(try await renew(nil) == nil)
  }

  @Test func `the PIN is changed in a session, and a wrong one counts as at a login`() async throws {
    func change(_ pin: String, _ new: String) async throws -> (status: Int, refusal: String?) {
      let body = PINReplacement(pin: pin, newPIN: new).json
      let answer = try await server.wallet("POST", WalletPath.pin, body, by: device, session: session)
      return (answer.status, answer.json.refusal)
    }
    #expect(try await change("8203", "1234") == (422, "requirementsNotMet"))
    #expect(try await change("0001", "1379") == (401, "wrongCredentials"))
    let other = try WalletSession(await server.logIn(.pin("8203"), by: device).json).session
    #expect(try await server.isLoggedIn(other, device))
    #expect(try await change("8203", "1379") == (204, nil))
    #expect(try await server.isLoggedIn(session, device))
    #expect(try await server.isLoggedIn(other, device) == false)
    #expect(try await server.logIn(.pin("8203"), by: device).status == 401)
    #expect(try await server.logIn(.pin("1379"), by: device).status == 200)
    for _ in 0..<4 { _ = try await change("0001", "8203") }
    #expect(try await change("0001", "8203") == (401, "deviceUnlinked"))
  }

  @Test func `a stolen session is refused without the signature of its device, or with that of another one`()
    async throws
  {
    let other = try TestWalletDevice("other")
    var profile = TestServer.profile
    profile.email = "other@example.org"
    try await server.link(other, profile)
    let bare = try await server.send("GET", WalletPath.devices, headers: TestServer.bearer(session))
    #expect(bare.response.status == 401 && bare.json.refusal == "unauthorized")
    for thief in [other, try TestWalletDevice("stranger")] {
      let stolen = try await server.wallet("GET", WalletPath.devices, by: thief, session: session)
      #expect(stolen.status == 403 && stolen.json.refusal == "notLoggedIn")
    }
    let impostor = try await server.wallet("GET", WalletPath.devices, by: try TestWalletDevice(), session: session)
    #expect(impostor.status == 401 && impostor.json.refusal == "unauthorized")
    #expect(try await server.isLoggedIn(session, device))
  }

  @Test func `a device has at most 10 sessions, and a further one ends the oldest one`() async throws {
    let other = try TestWalletDevice("other")
    let linked = try await server.answer(await server.logIn(by: other).json, by: other)
    let elsewhere = try WalletSession(linked.json).session
    for number in 1...10 {
      #expect(try await server.isLoggedIn(session, device), "\(number)")
      #expect(try await server.logIn(.pin("8203"), by: device).status == 200)
    }
    #expect(try await server.isLoggedIn(session, device) == false)
    #expect(try await server.isLoggedIn(elsewhere, other))
  }

  @Test func `a wallet has at most 20 devices, and a replaced one is not counted`() async throws {
    func link(_ number: Int, replacing former: TestWalletDevice? = nil) async throws -> Int {
      let device = try TestWalletDevice("device \(number)")
      let prompt = try await server.logIn(by: device).json
      return try await server.answer(prompt, by: device, replacing: former).status
    }
    for number in 2...21 { #expect(try await link(number) == (number <= 20 ? 200 : 403), "\(number)") }
    #expect(try await link(22, replacing: device) == 200)
  }

  @Test func `a user name has at most 100 single-use tokens, and a further one ends the oldest one`() async throws {
    let other = try TestWalletDevice("other")
    let first = try await server.logIn(by: other).json
    for _ in 0..<100 { #expect(try await server.logIn(by: other).status == 412) }
    let count = try await server.store.read { store throws(AccessError) in
      try store.walletTokens(of: "ada@example.org").count
    }
    #expect(count == 100)
    #expect(try await server.answer(first, by: other).status == 401)
  }

  @Test func `a device uses at most 3000 identifiers before they expire`() async throws {
    try await fill { number in
      UsedWalletRequestRecord(device: device.deviceID, requestID: "r\(number)", expiresAt: Self.expiry(server))
    }
    // What another server has stored is counted after at most 64 requests.
    var refused = try await server.wallet("GET", WalletPath.devices, by: device, session: session)
    for _ in 0..<64 where refused.status == 200 {
      refused = try await server.wallet("GET", WalletPath.devices, by: device, session: session)
    }
    #expect(refused.status == 429, "\(refused.json.compact)")
    #expect(try await server.status(of: TestWalletDevice("other")).isRegistered == false)
    server.advance(seconds: 61)
    #expect(try await server.isLoggedIn(session, device))
  }

  @Test func `devices without a wallet use at most 10000 identifiers at one address, and linked ones go on`()
    async throws
  {
    for _ in 0..<4 {
      try await fill { number in
        UsedWalletRequestRecord(
          device: "d\(number) \(UInt64.random(in: 0 ... .max))", requestID: "r", address: "192.0.2.1",
          expiresAt: Self.expiry(server))
      }
    }
    let other = try TestWalletDevice("other")
    var status = 200
    for _ in 0...(10_000 / 64) where status == 200 {
      status = try await server.wallet("GET", WalletPath.device, by: other).status
    }
    #expect(status == 429)
    #expect(try await server.at(address: "192.0.2.66").wallet("GET", WalletPath.device, by: other).status == 200)
    #expect(try await server.isLoggedIn(session, device))
  }

  private static func expiry(_ server: TestServer) -> Int64 { server.clock.now.epochMilliseconds + 60_000 }

  /// Saves 3,000 used identifiers.
  private func fill(_ record: @escaping @Sendable (Int) -> UsedWalletRequestRecord) async throws {
    try await server.store.write { store throws(AccessError) in
      for number in 0..<3_000 { _ = try store.addOnce(record(number)) }
    }
  }

  @Test func `a request without a session is refused where one is needed`() async throws {
    let paths = [
      ("DELETE", WalletPath.currentSession), ("GET", WalletPath.devices), ("DELETE", WalletPath.device("phone")),
      ("POST", WalletPath.biometricToken),
    ]
    for (method, path) in paths {
      for token in [nil, "unknown", TestServer.operatorToken] {
        let answer = try await server.wallet(method, path, by: device, session: token)
        #expect(answer.status == 403 && answer.json.refusal == "notLoggedIn", "\(method) \(path)")
      }
    }
  }

  @Test func `the status of a device states whether its session is open, and does not restart its time`() async throws {
    func isOpen(_ token: String, _ device: TestWalletDevice) async throws -> Bool? {
      try DeviceStatus(await server.wallet("GET", WalletPath.device, by: device, session: token).json).isLoggedIn
    }
    #expect(try await isOpen(session, device) == true)
    #expect(try await isOpen("unknown", device) == false)
    #expect(try await isOpen(session, TestWalletDevice("stranger")) == false)
    server.advance(seconds: 599)
    #expect(try await isOpen(session, device) == true)
    server.advance(seconds: 2)
    #expect(try await isOpen(session, device) == false)
  }

  @Test func `an unlinking needs no session, ends one, and is authorised by the device's signature only`() async throws
  {
    let impostor = try await server.wallet("DELETE", WalletPath.device, by: try TestWalletDevice())
    #expect(impostor.status == 401)
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device, statesKey: false).status == 204)
    #expect(try await server.status(of: device).isRegistered == false)
    #expect(try await server.isLoggedIn(session, device) == false)
    let again = try await server.wallet("DELETE", WalletPath.device, by: device)
    #expect(again.status == 403 && again.json.refusal == "notRegistered")
  }

  @Test func `a deactivated device is registered and inactive, has no session, logs in in no way, and may be unlinked`()
    async throws
  {
    let changed = try await server.send(
      "PATCH", OperatorPath.walletDevice("phone"), DeviceStateChange(isActive: false).json,
      headers: TestServer.bearer(TestServer.operatorToken))
    #expect(changed.response.status == 204)
    #expect(try await server.status(of: device) == DeviceStatus(isRegistered: true, isActive: false))
    #expect(try await server.isLoggedIn(session, device) == false)
    for login in [try await server.logIn(.pin("8203"), by: device), try await server.logIn(by: device)] {
      #expect(login.status == 403 && login.json.refusal == "deviceInactive")
    }
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
  }

  @Test func `a session that a deactivation ended does not come back with the activation`() async throws {
    for isActive in [false, true] {
      _ = try await server.send(
        "PATCH", OperatorPath.walletDevice("phone"), DeviceStateChange(isActive: isActive).json,
        headers: TestServer.bearer(TestServer.operatorToken))
    }
    #expect(try await server.status(of: device).isActive)
    #expect(try await server.isLoggedIn(session, device) == false)
  }

  @Test func `an operator lists wallets, activates and unlinks a device, and others do not`() async throws {
    let headers = TestServer.bearer(TestServer.operatorToken)
    for target in [OperatorPath.wallets, OperatorPath.wallets + "?userName=ADA@example.org"] {
      let list = try WalletList(await server.send("GET", target, headers: headers).json)
      #expect(list.wallets.map(\.userName) == ["ada@example.org"])
      #expect(list.wallets.first?.devices.map(\.deviceID) == ["phone"])
    }
    for isActive in [false, true] {
      let body = DeviceStateChange(isActive: isActive).json
      _ = try await server.send("PATCH", OperatorPath.walletDevice("phone"), body, headers: headers)
      #expect(try await server.status(of: device).isActive == isActive)
    }
    for headers in [[], TestServer.bearer(session)] {
      #expect(try await server.send("GET", OperatorPath.wallets, headers: headers).response.status == 401)
    }
    let removed = try await server.send("DELETE", OperatorPath.walletDevice("phone"), headers: headers)
    #expect(removed.response.status == 204)
    #expect(try await server.status(of: device).isRegistered == false)
    let again = try await server.send("DELETE", OperatorPath.walletDevice("phone"), headers: headers)
    #expect(again.response.status == 404)
  }
}

import AccessMessages
import Documents
import FIDOUAF
import JSON
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

@Suite("Enrolment of a wallet")
struct EnrolmentTests {
  @Test func `a device is unregistered until the login with the nonce links it`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    #expect(try await server.status(of: device) == DeviceStatus(isRegistered: false, isActive: false))
    let nonce = try await server.enrol(by: device)
    #expect(try await server.status(of: device) == DeviceStatus(isRegistered: false, isActive: false))
    let login = try await server.logIn(.nonce(nonce, device.described), by: device)
    #expect(login.status == 200 && login.json["idleSeconds"]?.integer == 600)
    #expect(try await server.status(of: device) == DeviceStatus(isRegistered: true, isActive: true))
  }

  @Test func `the requirements are those of the configuration`() async throws {
    let server = try await TestServer { $0.wallets.requirements.pinAttempts = 3 }
    let answer = try await server.wallet("GET", WalletPath.requirements, by: try TestWalletDevice())
    #expect(try WalletRequirements(answer.json) == server.service.configuration.wallets.requirements)
    #expect(answer.json["pinAttempts"]?.integer == 3)
  }

  @Test func `a nonce logs in once`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    let nonce = try await server.enrol(by: device)
    #expect(try await server.logIn(.nonce(nonce, device.described), by: device).status == 200)
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
    let again = try await server.logIn(.nonce(nonce, device.described), by: device)
    #expect(again.status == 401 && again.json.refusal == "wrongCredentials")
    #expect(try await server.status(of: device).isRegistered == false)
  }

  @Test func `a nonce expires after its lifetime, and is of no use to another device`() async throws {
    let server = try await TestServer()
    let (device, other) = (try TestWalletDevice(), try TestWalletDevice("other"))
    let nonce = try await server.enrol(by: device)
    #expect(try await server.logIn(.nonce(nonce, other.described), by: other).status == 401)
    server.advance(seconds: 300)
    #expect(try await server.logIn(.nonce(nonce, device.described), by: device).status == 401)
    for device in [device, other] { #expect(try await server.status(of: device).isRegistered == false) }
  }

  @Test func `the device that a login describes is the one that signs it`() async throws {
    let server = try await TestServer()
    let (device, other) = (try TestWalletDevice(), try TestWalletDevice("other"))
    let nonce = try await server.enrol(by: device)
    let answer = try await server.logIn(.nonce(nonce, other.described), by: device)
    #expect(answer.status == 400 && answer.json.refusal == "malformed")
    #expect(try await server.logIn(.nonce(nonce, device.described), by: device).status == 200)
  }

  @Test(
    arguments: [
      { $0.password = "short1" }, { $0.passcode = "1234" }, { $0.answers.removeLast() },
      { $0.answers[1].questionID = "unknown" }, { $0.email = "no address" },
    ] as [@Sendable (inout UserProfile) -> Void])
  func `a profile that does not meet the requirements is refused, and nothing is stored`(
    change: @Sendable (inout UserProfile) -> Void
  ) async throws {
    let server = try await TestServer()
    var profile = TestServer.profile
    change(&profile)
    let answer = try await server.post(WalletPath.enrolments, profile.json, by: try TestWalletDevice())
    #expect(answer.status == 422 && answer.json.refusal == "requirementsNotMet")
    #expect(answer.json["message"]?.text?.contains(profile.password) == false)
    let wallets = try await server.store.read { store throws(AccessError) in
      try store.wallets(after: nil, limit: 10)
    }
    #expect(wallets.isEmpty)
  }

  @Test func `a user name is enrolled once, in any case`() async throws {
    let server = try await TestServer()
    try await server.link(try TestWalletDevice())
    var profile = TestServer.profile
    profile.email = "aDA@EXAMPLE.org"
    let answer = try await server.post(WalletPath.enrolments, profile.json, by: try TestWalletDevice("other"))
    #expect(answer.status == 422 && answer.json.refusal == "userNameInUse")
  }

  @Test func `a linked device enrols no second wallet until it is unlinked`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    try await server.link(device)
    var second = TestServer.profile
    second.email = "second@example.org"
    let refused = try await server.post(WalletPath.enrolments, second.json, by: device)
    #expect(refused.status == 409 && refused.json.refusal == "deviceLinked")
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
    try await server.link(device, second)
    #expect(try await server.status(of: device).isRegistered)
  }

  @Test func `a nonce logs in once, also when the device is unlinked afterwards`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    let nonce = try await server.enrol(by: device)
    #expect(try await server.logIn(.nonce(nonce, device.described), by: device).status == 200)
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
    let again = try await server.logIn(.nonce(nonce, device.described), by: device)
    #expect(again.status == 401 && again.json.refusal == "wrongCredentials")
    #expect(try await server.status(of: device).isRegistered == false)
  }

  @Test func `the token of a question is not a nonce: it links no device without the answer`() async throws {
    let server = try await TestServer()
    try await server.link(try TestWalletDevice())
    let second = try TestWalletDevice("second")
    let recovery = RecoveryRequest.begin(userName: TestServer.profile.email, .password)
    for prompt in [
      try await server.logIn(by: second), try await server.post(WalletPath.recoveries, recovery.json, by: second),
    ] {
      let token = try QuestionPrompt(prompt.json).token
      #expect(try await server.logIn(.nonce(token, second.described), by: second).status == 401)
    }
    #expect(try await server.status(of: second).isRegistered == false)
  }

  @Test func `additional information and salted hashes are stored, and no secret is`() async throws {
    let server = try await TestServer()
    let session = try await server.link(try TestWalletDevice())
    let wallet = try await server.store.read { store throws(AccessError) in
      try store.wallet(named: "ada@example.org")
    }
    let found = try #require(wallet)
    #expect(found.information == #"{"branch": "12"}"#)
    let hashes = [found.passwordHash, found.pinHash] + found.answers.map(\.hash)
    #expect(Set(hashes).count == 4 && hashes.allSatisfy { $0.hasPrefix("scrypt-") })
    let stored = "\(found)" + (try await server.auditText())
    for secret in ["analytical", session] { #expect(!stored.contains(secret), "\(secret)") }
    for secret in ["8203", "Rex", "rex"] { #expect(!stored.hasWord(secret), "\(secret)") }
  }

  @Test func `enrolments from one address are limited`() async throws {
    let server = try await TestServer { $0.failureLimits.perAddress = 2 }
    for number in 0..<3 {
      var profile = TestServer.profile
      profile.email = "user\(number)@example.org"
      let device = try TestWalletDevice("device \(number)")
      let answer = try await server.post(WalletPath.enrolments, profile.json, by: device)
      #expect(answer.status == (number < 2 ? 201 : 429))
    }
  }
}

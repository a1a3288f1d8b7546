import AccessMessages
import Documents
import FIDOUAF
import JSON
import Testing

@testable import AccessServer

@Suite("Forgotten PINs and passwords, and lost devices")
struct RecoveryTests {
  let server: TestServer
  let device: TestWalletDevice
  let second: TestWalletDevice
  let session: String

  init() async throws {
    server = try await TestServer()
    (device, second) = (try TestWalletDevice(), try TestWalletDevice("second"))
    session = try await server.link(device)
  }

  func recover(_ request: RecoveryRequest, by device: TestWalletDevice) async throws -> (status: Int, json: JSONValue) {
    try await server.post(WalletPath.recoveries, request.json, by: device)
  }

  /// Begins a recovery and answers its question.
  func resetToken(_ secret: RecoveryRequest.Secret, by device: TestWalletDevice) async throws -> String {
    let prompt = try QuestionPrompt(
      await recover(.begin(userName: TestServer.profile.email, secret), by: device).json)
    let right = try #require(TestServer.profile.answers.first { $0.questionID == prompt.questionID }?.text)
    return try ResetToken(await recover(.answer(token: prompt.token, answer: right), by: device).json).resetToken
  }

  @Test func `recoveries of strangers at its address do not block a linked device`() async throws {
    let server = try await TestServer { $0.failureLimits.perAddress = 2 }
    try await server.link(device)
    for (number, status) in [200, 200, 429].enumerated() {
      let recovery = RecoveryRequest.begin(userName: "stranger\(number)@example.org", .password)
      #expect(try await server.post(WalletPath.recoveries, recovery.json, by: second).status == status)
    }
    let own = RecoveryRequest.begin(userName: TestServer.profile.email, .pin)
    #expect(try await server.post(WalletPath.recoveries, own.json, by: device).status == 200)
  }

  @Test func `a new PIN replaces the forgotten one, ends all sessions and withdraws the biometric token`() async throws
  {
    let byPin = try WalletSession(await server.logIn(.pin("8203"), by: device).json).session
    let biometric = try BiometricToken(
      await server.wallet("POST", WalletPath.biometricToken, by: device, session: byPin).json
    ).token
    let token = try await resetToken(.pin, by: device)
    #expect(try await recover(.reset(resetToken: token, newSecret: "1379"), by: device).status == 204)
    for session in [session, byPin] { #expect(try await server.isLoggedIn(session, device) == false) }
    #expect(try await server.logIn(.biometricToken(biometric), by: device).status == 401)
    #expect(try await server.logIn(.pin("8203"), by: device).status == 401)
    #expect(try await server.logIn(.pin("1379"), by: device).status == 200)
  }

  @Test func `a new password replaces the forgotten one, from a device that is not linked too`() async throws {
    let token = try await resetToken(.password, by: second)
    let new = "difference engine 2"
    #expect(try await recover(.reset(resetToken: token, newSecret: new), by: second).status == 204)
    #expect(try await server.isLoggedIn(session, device) == false)
    #expect(try await server.logIn(by: second).status == 401)
    #expect(try await server.logIn(password: new, by: second).status == 412)
  }

  @Test(arguments: [RecoveryRequest.Secret.pin, .password])
  func `a secret that is replaced while it is compared begins no session`(secret: RecoveryRequest.Secret) async throws {
    let token = try await resetToken(secret, by: device)
    let new = secret == .pin ? "1379" : "difference engine 2"
    let store = InterveningStore(base: server.store)
    let slow = try await server.serving(store)
    store.intervene(beforeWrite: 2) {
      let reset = try await recover(.reset(resetToken: token, newSecret: new), by: device)
      #expect(reset.status == 204)
    }
    let former: SessionRequest =
      secret == .pin
      ? .pin(TestServer.profile.passcode)
      : .password(userName: TestServer.profile.email, password: TestServer.profile.password, .wallet)
    #expect(try await slow.logIn(former, by: device).status == 401)
    #expect(store.hasIntervened)
  }

  @Test func `a reset token is used once, by the device that answered, within 300 s`() async throws {
    let token = try await resetToken(.password, by: second)
    let reset = RecoveryRequest.reset(resetToken: token, newSecret: "difference engine 2")
    #expect(try await recover(reset, by: device).json.refusal == "wrongCredentials")
    #expect(try await recover(reset, by: second).status == 204)
    #expect(try await recover(reset, by: second).json.refusal == "wrongCredentials")
    let late = try await resetToken(.password, by: second)
    server.advance(seconds: 300)
    #expect(try await recover(.reset(resetToken: late, newSecret: "engine number 3"), by: second).status == 401)
  }

  @Test func `a new secret that does not meet the requirements is refused, and the token can be used again`()
    async throws
  {
    let token = try await resetToken(.pin, by: device)
    let weak = try await recover(.reset(resetToken: token, newSecret: "1234"), by: device)
    #expect(weak.status == 422 && weak.json.refusal == "requirementsNotMet")
    #expect(try await server.isLoggedIn(session, device))
    #expect(try await recover(.reset(resetToken: token, newSecret: "1379"), by: device).status == 204)
  }

  @Test func `a PIN is recovered on a linked device only`() async throws {
    let refused = try await recover(.begin(userName: TestServer.profile.email, .pin), by: second)
    #expect(refused.status == 403 && refused.json.refusal == "notRegistered")
  }

  @Test func `a user name that does not exist gets questions as one that exists, and no answer is right`() async throws
  {
    var asked: Set<String> = []
    for _ in 0..<9 {
      let answer = try await recover(.begin(userName: "unknown@example.org", .password), by: second)
      #expect(answer.status == 200)
      asked.insert(try QuestionPrompt(answer.json).questionID)
    }
    #expect(asked.count <= server.service.configuration.wallets.requirements.requiredAnswers)
    let prompt = try QuestionPrompt(
      await recover(.begin(userName: "unknown@example.org", .password), by: second).json)
    let answer = try await recover(.answer(token: prompt.token, answer: "Rex"), by: second)
    #expect(answer.status == 401 && answer.json.refusal == "wrongCredentials")
  }

  @Test func `guessed answers are refused after the fifth`() async throws {
    for _ in 0..<5 {
      let prompt = try QuestionPrompt(
        await recover(.begin(userName: TestServer.profile.email, .password), by: second).json)
      #expect(try await recover(.answer(token: prompt.token, answer: "Tom"), by: second).status == 401)
    }
    let locked = try await recover(.begin(userName: TestServer.profile.email, .password), by: second)
    #expect(locked.status == 429)
  }

  @Test func `the eleventh recovery of one user within an hour is refused`() async throws {
    let server = try await TestServer { $0.failureLimits.perAddress = 100 }
    let begin = RecoveryRequest.begin(userName: TestServer.profile.email, .password).json
    for _ in 0..<10 { #expect(try await server.post(WalletPath.recoveries, begin, by: second).status == 200) }
    #expect(try await server.post(WalletPath.recoveries, begin, by: second).json.refusal == "tooManyFailures")
    server.advance(seconds: 3_600)
    #expect(try await server.post(WalletPath.recoveries, begin, by: second).status == 200)
  }

  @Test func `recoveries of different users from one address are limited`() async throws {
    let server = try await TestServer { $0.failureLimits.perAddress = 2 }
    for number in 0..<3 {
      let request = RecoveryRequest.begin(userName: "user\(number)@example.org", .password)
      let answer = try await server.post(WalletPath.recoveries, request.json, by: device)
      #expect(answer.status == (number < 2 ? 200 : 429))
    }
  }

  @Test func `the question of a login does not recover, and that of a recovery does not log in`() async throws {
    let login = try QuestionPrompt(await server.logIn(by: second).json)
    #expect(try await recover(.answer(token: login.token, answer: "Rex"), by: second).status == 401)
    let recovery = try await recover(.begin(userName: TestServer.profile.email, .password), by: second).json
    #expect(try await server.answer(recovery, by: second).status == 401)
  }

  /// Logs in to find a lost device, and returns the session.
  func lostDeviceSession(by device: TestWalletDevice) async throws -> String {
    let prompt = try await server.logIn(scope: .lostDevice, by: device).json
    return try WalletSession(await server.answer(prompt, by: device, links: false).json).session
  }

  @Test func `a session belongs to one device identifier and one key`() async throws {
    let session = try await lostDeviceSession(by: second)
    for thief in [TestWalletDevice("third", keysOf: second), try TestWalletDevice("second")] {
      let stolen = try await server.wallet("GET", WalletPath.devices, by: thief, session: session)
      #expect(stolen.status == 403 && stolen.json.refusal == "notLoggedIn")
    }
    #expect(try await server.isLoggedIn(session, second))
  }

  @Test func `a session for a lost device gives a linked device no other right`() async throws {
    let session = try await lostDeviceSession(by: device)
    for (method, path) in [("POST", WalletPath.biometricToken), ("GET", CardPath.cards)] {
      let answer = try await server.wallet(method, path, by: device, session: session)
      #expect(answer.status == 403 && answer.json.refusal == "notLoggedIn", "\(method) \(path)")
    }
    #expect(try await server.isLoggedIn(session, device))
  }

  @Test func `a user lists and unlinks a lost device from a device that is not linked, and does nothing else`()
    async throws
  {
    let prompt = try await server.logIn(scope: .lostDevice, by: second)
    #expect(prompt.status == 412)
    let limited = try WalletSession(await server.answer(prompt.json, by: second, links: false).json)
    #expect(limited.scope == .lostDevice)
    #expect(try await server.status(of: second).isRegistered == false)
    let list = try WalletDeviceList(
      await server.wallet("GET", WalletPath.devices, by: second, session: limited.session).json)
    #expect(list.devices.map(\.deviceID) == ["phone"] && list.devices.allSatisfy { !$0.isCurrent })
    let biometrics = try await server.wallet(
      "POST", WalletPath.biometricToken, by: second, session: limited.session)
    #expect(biometrics.status == 403)
    let removed = try await server.wallet(
      "DELETE", WalletPath.device("phone"), by: second, session: limited.session)
    #expect(removed.status == 204)
    #expect(try await server.status(of: device).isRegistered == false)
    #expect(try await server.isLoggedIn(session, device) == false)
  }

  @Test
  func `a question for lost devices is asked on a linked device too, and a device of another wallet is not found`()
    async throws
  {
    var other = TestServer.profile
    other.email = "other@example.org"
    try await server.link(second, other)
    let prompt = try await server.logIn(scope: .lostDevice, by: device)
    #expect(prompt.status == 412)
    let limited = try WalletSession(await server.answer(prompt.json, by: device).json)
    let removed = try await server.wallet(
      "DELETE", WalletPath.device("second"), by: device, session: limited.session)
    #expect(removed.status == 404)
    #expect(try await server.status(of: second).isRegistered)
  }
}

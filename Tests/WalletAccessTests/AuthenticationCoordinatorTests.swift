import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import Foundation
import JSON
import MobileAuthentication
import Octets
import TestSupport
import Testing
import WalletAccess

@Suite struct AuthenticationCoordinatorTests {
  let stage: WalletStage
  let user = FixedUser()

  init() throws { stage = try WalletStage() }

  private func coordinator() throws -> AuthenticationCoordinator { AuthenticationCoordinator(try stage.wallet()) }

  private func passwordLogin() async throws -> LoginResult {
    try await coordinator().login(
      userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: user)
  }

  @Test func `a right password on a linked device opens a session without a question`() async throws {
    let result = try await passwordLogin()
    #expect(result == LoginResult(method: .password, idleSeconds: 600))
    #expect(user.questions.isEmpty)
    #expect(try await stage.record()?.session?.idleSeconds == 600)
  }

  @Test func `a right password on another device is a question and no session`() async throws {
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    let prompt = QuestionPrompt(token: "question-1", questionID: "pet", text: "Your first pet?")
    stage.answer("POST /wallet/v1/sessions", 412, prompt.json)
    stage.answer("POST /wallet/v1/sessions/mfa", 401, AccessFailure(.wrongCredentials, "no").json)
    await #expect(throws: WalletAccessError.wrongCredentials) { _ = try await passwordLogin() }
    #expect(user.questions == ["answer pet"])
    #expect(try await stage.record()?.session == nil)
  }

  @Test func `a right answer links the device and opens a session`() async throws {
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    let prompt = QuestionPrompt(token: "question-1", questionID: "pet", text: "Your first pet?")
    stage.answer("POST /wallet/v1/sessions", 412, prompt.json)
    stage.answer("POST /wallet/v1/sessions/mfa", 200, WalletSession(session: "session-2", idleSeconds: 300).json)
    let result = try await passwordLogin()
    #expect(result == LoginResult(method: .password, linkedDevice: true, idleSeconds: 300))
    let body = try #require(try stage.bodies("POST /wallet/v1/sessions/mfa").first)
    let answer = try QuestionAnswer(body)
    #expect((answer.token, answer.answer) == ("question-1", "Rex"))
    let identity = try #require(try await stage.store.read().identities.first)
    #expect(answer.device?.deviceID == identity.information.deviceId)
  }

  struct Failure: Sendable, CustomTestStringConvertible {
    let status: Int
    let failure: AccessFailure.Code?
    let code: String
    var testDescription: String { "\(status) \(failure?.rawValue ?? "without a body")" }
  }

  static let failures = [
    Failure(status: 401, failure: nil, code: "PASSCODE_401"),
    Failure(status: 401, failure: .wrongCredentials, code: "PASSCODE_401"),
    Failure(status: 401, failure: .clockSkew, code: "Refused"),
    Failure(status: 403, failure: nil, code: "Refused"),
    Failure(status: 403, failure: .notAllowed, code: "Refused"),
    Failure(status: 403, failure: .deviceInactive, code: "DeviceInactive"),
    Failure(status: 403, failure: .notRegistered, code: "NotLinked"),
    Failure(status: 429, failure: .tooManyFailures, code: "Refused"),
    Failure(status: 500, failure: nil, code: "Refused"),
    Failure(status: 503, failure: .unavailable, code: "Refused"),
  ]

  @Test(arguments: failures) func `a refused login has the code of its status`(row: Failure) async throws {
    stage.answer("POST /wallet/v1/sessions", row.status, row.failure.map { AccessFailure($0, "reason").json })
    let byPassword = await #expect(throws: WalletAccessError.self) { _ = try await passwordLogin() }
    #expect(byPassword?.code == row.code)
    let byPIN = await #expect(throws: WalletAccessError.self) { try await stage.logIn() }
    #expect(byPIN?.code == row.code)
    #expect(try await stage.record()?.session == nil)
    #expect(stage.contents.wipes == 0)
  }

  @Test func `a login that is not sent is a failed invocation`() async throws {
    stage.fail("POST /wallet/v1/sessions", .timedOut(limit: .seconds(60)))
    let error = await #expect(throws: WalletAccessError.self) { try await stage.logIn() }
    #expect(error?.code == "authenticationInvocationDidFail")
  }

  @Test func `the issuer's last attempt with the PIN removes the wallet`() async throws {
    stage.answer("POST /wallet/v1/sessions", 401, AccessFailure(.deviceUnlinked, "no").json)
    await #expect(throws: WalletAccessError.unlinked) { try await stage.logIn() }
    #expect(stage.contents.wipes == 1)
  }

  @Test func `an inactive device cannot log in`() async throws {
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: true, isActive: false).json)
    await #expect(throws: WalletAccessError.inactive) { try await stage.logIn() }
    await #expect(throws: WalletAccessError.inactive) { _ = try await passwordLogin() }
    #expect(stage.requests("POST /wallet/v1/sessions").isEmpty)
  }

  @Test func `a device that is not linked has no login by PIN`() async throws {
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    await #expect(throws: WalletAccessError.notLinked) { try await stage.logIn() }
    #expect(stage.requests("POST /wallet/v1/sessions").isEmpty)
  }

  @Test func `an open session excludes a login`() async throws {
    try await stage.logIn()
    await #expect(throws: WalletAccessError.alreadyLoggedIn) { try await stage.logIn() }
  }

  @Test func `the token of the session is sealed on the device`() async throws {
    try await stage.logIn()
    let text = try String(contentsOfFile: stage.store.path, encoding: .utf8)
    #expect(!text.contains("session-1"))
    _ = try await coordinator().logout()
    let logout = try #require(stage.requests("DELETE /wallet/v1/sessions/current").first)
    #expect(logout.fields.value("Authorization") == "Bearer session-1")
  }

  @Test func `a logout that reaches the server ends the session on both sides`() async throws {
    try await stage.logIn()
    #expect(try await coordinator().logout() == LogoutResult(serverInformed: true))
    #expect(try await stage.record()?.session == nil)
    await #expect(throws: WalletAccessError.notLoggedIn) { _ = try await coordinator().logout() }
  }

  static let logouts: [(Int, AccessFailure.Code?, Bool)] = [
    (403, .notLoggedIn, true), (403, .deviceInactive, false), (500, nil, false),
  ]

  @Test(arguments: logouts)
  func `a refused logout ends the session on the device`(
    status: Int, code: AccessFailure.Code?, isInformed: Bool
  ) async throws {
    try await stage.logIn()
    stage.answer("DELETE /wallet/v1/sessions/current", status, code.map { AccessFailure($0, "reason").json })
    #expect(try await coordinator().logout() == LogoutResult(serverInformed: isInformed))
    #expect(try await stage.record()?.session == nil)
  }

  @Test func `a logout that does not reach the server ends the session on the device`() async throws {
    try await stage.logIn()
    let keys = stage.device.keyCount
    stage.fail("DELETE /wallet/v1/sessions/current")
    #expect(try await coordinator().logout() == LogoutResult(serverInformed: false))
    #expect(try await stage.record()?.session == nil)
    #expect(stage.device.keyCount == keys - 1)
  }

  @Test func `a session whose key another process is deleting is no lost key`() async throws {
    try await stage.logIn()
    let session = try #require(try await stage.record()?.session)
    // The other process has deleted the key; this one has read the record before.
    try await stage.device.ports.keys.delete(session.token.sealingKey)
    let outdated = OutdatedStore(store: stage.store, records: try await stage.store.read())
    try await stage.store.change { $0.changeWallet(at: "https://issuer.example") { $0.session = nil } }
    let coordinator = AuthenticationCoordinator(try stage.wallet(store: outdated))
    await #expect(throws: WalletAccessError.notLoggedIn) { _ = try await coordinator.logout() }
    #expect(stage.contents.wipes == 0)
  }

  @Test func `a key store that fails for a moment keeps the session`() async throws {
    try await stage.logIn()
    stage.device.keyStoreError = .busy("another program")
    await #expect(throws: WalletAccessError.self) { _ = try await coordinator().logout() }
    stage.device.keyStoreError = nil
    #expect(try await stage.record()?.session != nil)
    #expect(stage.contents.wipes == 0)
  }
}

import AccessMessages
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import Testing
import WalletAccess

@Suite struct RecoveryTests {
  let stage: WalletStage
  let prompt = QuestionPrompt(token: "question-1", questionID: "town", text: "Where were you born?")

  init() throws { stage = try WalletStage() }

  private func reset(_ secret: RecoveryRequest.Secret, to value: String) async throws -> FixedUser {
    let user = FixedUser(secret: value)
    try await RecoveryCoordinator(stage.wallet()).reset(
      secret, userName: "alice@example.org", answering: user, choosing: user)
    return user
  }

  private func answerSteps() {
    stage.answer("POST /wallet/v1/recoveries", 200, prompt.json)
    stage.thenAnswer("POST /wallet/v1/recoveries", 200, ResetToken(resetToken: "reset-1").json)
    stage.thenAnswer("POST /wallet/v1/recoveries", 204)
  }

  static let secrets: [(RecoveryRequest.Secret, String)] = [(.pin, "8520"), (.password, "Bcdefghi2")]

  @Test(arguments: secrets)
  func `a recovery asks a question, sets the new value and ends the session`(
    secret: RecoveryRequest.Secret, value: String
  ) async throws {
    try await stage.logIn()
    answerSteps()
    let user = try await reset(secret, to: value)
    #expect(user.questions == ["answer town", "new \(secret.rawValue)"])
    let steps = try stage.bodies("POST /wallet/v1/recoveries").map { try RecoveryRequest($0) }
    #expect(
      steps == [
        .begin(userName: "alice@example.org", secret), .answer(token: "question-1", answer: "Rex"),
        .reset(resetToken: "reset-1", newSecret: value),
      ])
    #expect(try await stage.record()?.session == nil)
  }

  static let weak: [(RecoveryRequest.Secret, String, String)] = [
    (.pin, "1234", "WeakPin"), (.password, "short", "WeakPassword"),
  ]

  @Test(arguments: weak)
  func `a weak new value is not sent`(secret: RecoveryRequest.Secret, value: String, code: String) async throws {
    answerSteps()
    let error = await #expect(throws: WalletAccessError.self) { _ = try await reset(secret, to: value) }
    #expect(error?.code == code)
    #expect(stage.requests("POST /wallet/v1/recoveries").count == 2)
  }

  @Test func `a wrong answer keeps the session`() async throws {
    try await stage.logIn()
    stage.answer("POST /wallet/v1/recoveries", 200, prompt.json)
    stage.thenAnswer("POST /wallet/v1/recoveries", 401, AccessFailure(.wrongCredentials, "no").json)
    await #expect(throws: WalletAccessError.wrongCredentials) { _ = try await reset(.pin, to: "8520") }
    #expect(try await stage.record()?.session != nil)
  }

  // Lost devices.

  private func lost() throws -> LostDeviceCoordinator {
    stage.answer("POST /wallet/v1/sessions", 412, prompt.json)
    stage.answer(
      "POST /wallet/v1/sessions/mfa", 200,
      WalletSession(session: "limited-1", idleSeconds: 60, scope: .lostDevice).json)
    stage.answer(
      "GET /wallet/v1/devices", 200,
      WalletDeviceList([
        .init(deviceID: "lost", name: "Phone", isActive: true, isCurrent: false, createdAt: 1),
        .init(deviceID: "this", name: "Other", isActive: true, isCurrent: true, createdAt: 2),
      ]).json)
    stage.answer("DELETE /wallet/v1/devices/lost", 204)
    stage.answer("DELETE /wallet/v1/devices/this", 204)
    return LostDeviceCoordinator(
      try stage.wallet(), userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: FixedUser())
  }

  @Test func `password and question list the devices in a session that is not kept`() async throws {
    let devices = try await lost().devices()
    #expect(devices.map(\.deviceID) == ["lost", "this"])
    let request = try SessionRequest(#require(try stage.bodies("POST /wallet/v1/sessions").first))
    guard case .password(_, _, .lostDevice) = request else { return #expect(Bool(false), "\(request)") }
    let logout = try #require(stage.requests("DELETE /wallet/v1/sessions/current").first)
    #expect(logout.fields.value("Authorization") == "Bearer limited-1")
    #expect(try await stage.record()?.session == nil)
  }

  @Test func `a lost device is unlinked and this one keeps its wallet`() async throws {
    try await lost().remove("lost")
    #expect(stage.requests("DELETE /wallet/v1/devices/lost").count == 1)
    #expect(stage.contents.wipes == 0)
  }

  @Test func `a user who removes this device removes its wallet`() async throws {
    try await lost().remove("this")
    #expect(stage.contents.wipes == 1)
  }

  @Test func `an unknown device is refused and the session is ended`() async throws {
    let error = await #expect(throws: WalletAccessError.self) { try await lost().remove("../device") }
    #expect(error?.code == "Refused")
    #expect(stage.names.last == "DELETE /wallet/v1/sessions/current")
  }
}

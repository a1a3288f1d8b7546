import AccessMessages
@testable import AccessServer
import Documents
import JSON
@testable import ServerShell
import Testing

@Suite("Withdrawal of wallet devices")
struct WalletWithdrawalTests {
  static let asOperator = TestServer.bearer(TestServer.operatorToken)

  private static func setActive(_ isActive: Bool, _ device: TestWalletDevice, _ server: TestServer) async throws {
    let response = try await server.send(
      "PATCH", OperatorPath.walletDevice(device.deviceID), DeviceStateChange(isActive: isActive).json,
      headers: asOperator
    ).response
    #expect(response.status == 204)
  }

  @Test func `a deactivated device cannot use its PIN reset token`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    try await server.link(device)
    let user = TestServer.profile.email
    let prompt = try await server.post(
      WalletPath.recoveries, RecoveryRequest.begin(userName: user, .pin).json, by: device)
    let question = try QuestionPrompt(prompt.json)
    let right = try #require(TestServer.profile.answers.first { $0.questionID == question.questionID }).text
    let reset = try ResetToken(
      await server.post(
        WalletPath.recoveries, RecoveryRequest.answer(token: question.token, answer: right).json, by: device
      ).json)
    try await Self.setActive(false, device, server)
    let body = RecoveryRequest.reset(resetToken: reset.resetToken, newSecret: "1379").json
    #expect(try await server.post(WalletPath.recoveries, body, by: device).status == 401)
    try await Self.setActive(true, device, server)
    #expect(try await server.logIn(.pin("1379"), by: device).json.refusal == "wrongCredentials")
  }

  @Test func `a deactivation holds beyond unlinking, until the operator lifts it, and for its wallet only`()
    async throws
  {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    try await server.link(device)
    try await Self.setActive(false, device, server)
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
    let prompt = try await server.logIn(by: device)
    let linked = try await server.answer(prompt.json, by: device)
    #expect(linked.json.refusal == "deviceInactive")
    var other = TestServer.profile
    other.email = "bob@example.org"
    try await server.link(device, other)
    #expect(try await server.status(of: device) == DeviceStatus(isRegistered: true, isActive: true))
    #expect(try await server.wallet("DELETE", WalletPath.device, by: device).status == 204)
    try await Self.setActive(true, device, server)
    let second = try await server.logIn(by: device)
    #expect(try await server.answer(second.json, by: device).status == 200)
  }
}

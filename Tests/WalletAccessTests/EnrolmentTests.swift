import AccessMessages
import Documents
import FIDOUAF
import Foundation
import JSON
import MobileAuthentication
import Octets
import TestSupport
import Testing
import WalletAccess

@Suite struct EnrolmentTests {
  let stage: WalletStage

  init() throws {
    stage = try WalletStage()
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    stage.answer("POST /wallet/v1/enrolments", 201, EnrolmentResponse(message: "Welcome", nonce: "nonce-1").json)
  }

  private func enrol(_ form: EnrolmentForm = EnrolmentFormTests.form) async throws -> EnrolmentResult {
    let coordinator = UserEnrolmentCoordinator(try stage.wallet())
    return try await coordinator.register(form, requirements: try await coordinator.requirements())
  }

  @Test func `an enrolment logs in with its nonce and links the device`() async throws {
    let result = try await enrol()
    #expect(result.message == "Welcome")
    #expect(result.login == LoginResult(method: .nonce, linkedDevice: true, idleSeconds: 600))
    #expect(try await stage.record()?.session != nil)
    let login = try SessionRequest(#require(try stage.bodies("POST /wallet/v1/sessions").first))
    guard case .nonce("nonce-1", let device) = login else { return #expect(Bool(false), "\(login)") }
    #expect(device.deviceID == (try await stage.store.read().identities.first?.information.deviceId))
  }

  @Test func `the profile is sent as it was entered, and no confirmation`() async throws {
    _ = try await enrol()
    let body = try #require(try stage.bodies("POST /wallet/v1/enrolments").first)
    #expect(try UserProfile(body) == EnrolmentFormTests.form.profile)
    #expect(body["additionalCustomerInformation"]?["branch"]?.text == "Zürich")
    #expect(body.members?.contains { $0.key.contains("onfirm") } == false)
  }

  @Test(arguments: EnrolmentFormTests.refused)
  func `a wrong form is not sent`(refused: EnrolmentFormTests.Case) async throws {
    var form = EnrolmentFormTests.form
    refused.change(&form)
    let error = await #expect(throws: WalletAccessError.self) { _ = try await enrol(form) }
    #expect(error?.code == refused.code)
    #expect(stage.names == ["GET /wallet/v1/requirements"])
  }

  @Test func `a linked device cannot enrol a second wallet until it is unlinked`() async throws {
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: true, isActive: true).json)
    await #expect(throws: WalletAccessError.alreadyLinked) { _ = try await enrol() }
    #expect(stage.requests("POST /wallet/v1/enrolments").isEmpty)
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    _ = try await DeviceCoordinator(stage.wallet()).removeDevice()
    #expect(try await enrol().message == "Welcome")
  }

  @Test func `an issuer that sees the link first refuses the enrolment`() async throws {
    stage.answer("POST /wallet/v1/enrolments", 409, AccessFailure(.deviceLinked, "no").json)
    await #expect(throws: WalletAccessError.alreadyLinked) { _ = try await enrol() }
  }

  @Test func `a nonce that was used leaves no session`() async throws {
    stage.answer("POST /wallet/v1/sessions", 401, AccessFailure(.wrongCredentials, "used").json)
    await #expect(throws: WalletAccessError.wrongCredentials) { _ = try await enrol() }
    #expect(try await stage.record()?.session == nil)
  }

  @Test func `no file of the wallet contains a secret of the profile`() async throws {
    _ = try await enrol()
    let text = try String(contentsOfFile: stage.store.path, encoding: .utf8)
    for secret in ["Abcdefgh1", "nonce-1", "session-1"] { #expect(!text.contains(secret)) }
    for secret in ["7413", "Rex"] { #expect(!text.hasWord(secret)) }
  }
}

import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import Foundation
import JSON
import MobileAuthentication
import Octets
import Testing
import WalletAccess

@Suite struct DeviceCoordinatorTests {
  let stage: WalletStage

  init() throws { stage = try WalletStage() }

  @Test func `the status is requested each time and never stored`() async throws {
    let coordinator = DeviceCoordinator(try stage.wallet())
    #expect(try await coordinator.status() == DeviceStatus(isRegistered: true, isActive: true))
    // The issuer deactivates the device while the program is in the background.
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: true, isActive: false).json)
    let status = try await coordinator.status()
    #expect(status == DeviceStatus(isRegistered: true, isActive: false))
    #expect(!AllowedActions(status, isLoggedIn: false).allows(.login))
    let text = try String(contentsOfFile: stage.store.path, encoding: .utf8)
    for word in ["registered", "active"] { #expect(!text.contains("\"\(word)\"")) }
  }

  static let failures: [(Int, JSONValue?)] = [(500, nil), (403, AccessFailure(.forbidden, "no").json), (200, ["a": 1])]

  @Test(arguments: failures) func `a failing check removes nothing`(status: Int, body: JSONValue?) async throws {
    try await stage.logIn()
    let before = try await stage.record()
    stage.answer("GET /wallet/v1/device", status, body)
    await #expect(throws: WalletAccessError.self) { _ = try await DeviceCoordinator(stage.wallet()).status() }
    #expect(try await stage.record() == before)
    #expect(before?.session != nil)
    #expect(stage.contents.wipes == 0)
    #expect(AllowedActions(.unknown, isLoggedIn: false).actions == [.enrol, .login, .forgot, .lost])
  }

  @Test func `a check that does not reach the issuer removes nothing`() async throws {
    try await stage.logIn()
    stage.fail("GET /wallet/v1/device")
    await #expect(throws: WalletAccessError.invocationFailed(.unreachable("no server"))) {
      _ = try await DeviceCoordinator(stage.wallet()).status()
    }
    #expect(try await stage.record()?.session != nil)
    #expect(stage.contents.wipes == 0)
  }

  @Test func `a device that the issuer has unlinked loses its wallet at the next check`() async throws {
    try await stage.logIn()
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: false, isActive: false).json)
    _ = try await DeviceCoordinator(stage.wallet()).status()
    #expect(try await stage.record()?.session == nil)
    #expect(stage.contents.wipes == 1)
  }

  @Test(arguments: [false, true])
  func `unlinking wipes the wallet and checks the device again`(isLoggedIn: Bool) async throws {
    if isLoggedIn { try await stage.logIn() }
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: false, isActive: false).json)
    let status = try await DeviceCoordinator(stage.wallet()).removeDevice()
    #expect(status == DeviceStatus(isRegistered: false, isActive: false))
    #expect(stage.names.suffix(2) == ["DELETE /wallet/v1/device", "GET /wallet/v1/device"])
    #expect(try await stage.record()?.session == nil)
    #expect(stage.contents.wipes >= 1)
    let removal = try #require(stage.requests("DELETE /wallet/v1/device").first)
    #expect(removal.fields.value("Authorization") == nil)
    #expect(removal.fields.value("Device-Signature") != nil)
  }

  @Test func `an unlinking that does not reach the issuer removes nothing`() async throws {
    try await stage.logIn()
    stage.fail("DELETE /wallet/v1/device")
    await #expect(throws: WalletAccessError.self) { _ = try await DeviceCoordinator(stage.wallet()).removeDevice() }
    #expect(try await stage.record()?.session != nil)
    #expect(stage.contents.wipes == 0)
  }

  @Test func `an unlinking whose answer was lost succeeds when it is repeated`() async throws {
    try await stage.logIn()
    stage.answer("DELETE /wallet/v1/device", 403, AccessFailure(.notRegistered, "no").json)
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: false, isActive: false).json)
    let status = try await DeviceCoordinator(stage.wallet()).removeDevice()
    #expect(status == .unknown)
    #expect(try await stage.record()?.session == nil)
  }

  @Test func `a removed lock removes the wallet and gives the device a new identity`() async throws {
    try await stage.logIn()
    let before = try await stage.store.read().identities.first
    stage.device.disableLockScreen()
    stage.device.setPasscode("1234")
    await #expect(throws: WalletAccessError.keysLost) { _ = try await DeviceCoordinator(stage.wallet()).status() }
    #expect(try await stage.record()?.session == nil)
    #expect(stage.contents.wipes == 1)
    _ = try await DeviceCoordinator(stage.wallet()).status()
    let after = try await stage.store.read().identities.first
    #expect(after != nil && after?.information.deviceId != before?.information.deviceId)

    // The first login with the new identity states the former one, so that the issuer retires its payment keys.
    stage.answer("GET /wallet/v1/device", 200, DeviceStatus.unknown.json)
    _ = try await DeviceCoordinator(stage.wallet()).status()
    let prompt = QuestionPrompt(token: "question-1", questionID: "pet", text: "Your first pet?")
    stage.answer("POST /wallet/v1/sessions", 412, prompt.json)
    stage.answer("POST /wallet/v1/sessions/mfa", 200, WalletSession(session: "session-2", idleSeconds: 300).json)
    for _ in 1...2 {
      _ = try await AuthenticationCoordinator(stage.wallet()).login(
        userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: FixedUser())
      _ = try await AuthenticationCoordinator(stage.wallet()).logout()
    }
    let stated = try stage.bodies("POST /wallet/v1/sessions/mfa").map { try QuestionAnswer($0).device?.replaces }
    #expect(stated == [before?.information.deviceId, nil])
  }

  @Test func `every request is signed by the one key of the device`() async throws {
    _ = try await DeviceCoordinator(stage.wallet()).status()
    _ = try await DeviceCoordinator(stage.wallet()).status()
    let texts = stage.requests("GET /wallet/v1/device").compactMap { $0.fields.value("Device-Signature") }
    let signers = try texts.map { try DeviceSignature.signer(of: $0) }
    #expect(Set(signers).count == 1)
    let payloads = try zip(texts, signers).map { text, signer in
      try DeviceSignature(verifying: text, with: #require(signer.key))
    }
    #expect(Set(payloads.map(\.id)).count == 2)
    for payload in payloads {
      try payload.check(method: "GET", path: "/wallet/v1/device", body: [], now: 1_800_000_000_000)
    }
  }

  @Test func `keys in software end every request before it is sent`() async throws {
    await #expect(throws: WalletAccessError.device(.hardware)) {
      _ = try await DeviceCoordinator(stage.wallet(protection: .software)).status()
    }
    #expect(stage.names.isEmpty)
  }
}

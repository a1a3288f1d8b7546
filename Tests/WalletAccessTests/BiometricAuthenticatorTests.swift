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

@Suite struct BiometricAuthenticatorTests {
  let stage: WalletStage
  let user = FixedUser()

  init() throws { try self.init(hardware: .phone) }

  private init(hardware: SimulatedDevice.Hardware) throws { stage = try WalletStage(hardware: hardware) }

  private func authenticator() throws -> BiometricAuthenticator { BiometricAuthenticator(try stage.wallet()) }

  // Conditions.

  @Test func `a device without a sensor cannot register`() async throws {
    let stage = try WalletStage(hardware: SimulatedDevice.Hardware(hasSensor: false))
    let error = await #expect(throws: WalletAccessError.self) {
      try await BiometricAuthenticator(stage.wallet()).register(asking: user)
    }
    #expect(error?.code == "BiometricHardware")
    #expect(user.questions.isEmpty && stage.names.isEmpty)
  }

  static let findings: [IntegrityFinding] = [
    .tracer(process: 7), .preload(library: "spy.so"), .foreignMapping("rwx"), .unchecked("no /proc"),
  ]

  @Test(arguments: findings)
  func `a tampered process cannot register although the check is switched off`(finding: IntegrityFinding) async throws {
    stage.integrity.change(to: [finding])
    _ = try await DeviceCoordinator(stage.wallet()).status()
    await #expect(throws: WalletAccessError.biometric(.tampered([finding]))) {
      try await authenticator().register(asking: user)
    }
    #expect(user.questions.isEmpty)
    // Where the check is switched on, every request is refused.
    let error = await #expect(throws: WalletAccessError.self) {
      _ = try await DeviceCoordinator(stage.wallet(checksIntegrity: true)).status()
    }
    #expect(error?.code == "DeviceProtection")
  }

  @Test func `a device without an enrolled finger cannot register`() async throws {
    stage.device.removeAllBiometrics()
    await #expect(throws: WalletAccessError.biometric(.notEnrolled)) {
      try await authenticator().register(asking: user)
    }
  }

  @Test func `an issuer can forbid biometric login`() async throws {
    var requirements = WalletStage.requirements
    requirements.biometricLogin = false
    stage.answer("GET /wallet/v1/requirements", 200, requirements.json)
    await #expect(throws: WalletAccessError.biometric(.notAllowed)) {
      try await authenticator().register(asking: user)
    }
    #expect(user.questions.isEmpty)
  }

  // Registration.

  @Test func `a wrong PIN registers nothing`() async throws {
    stage.answer("POST /wallet/v1/sessions", 401, AccessFailure(.wrongCredentials, "no").json)
    await #expect(throws: WalletAccessError.wrongCredentials) { try await authenticator().register(asking: user) }
    #expect(try await stage.record()?.biometric == nil)
    #expect(stage.requests("POST /wallet/v1/biometric-token").isEmpty)
  }

  @Test func `a user who cancels the PIN registers nothing`() async throws {
    await #expect(throws: WalletAccessError.cancelled) {
      try await authenticator().register(asking: FixedUser(pin: nil))
    }
    #expect(try await stage.record()?.biometric == nil)
  }

  @Test func `a registration follows a login by PIN and leaves the PIN preferred`() async throws {
    try await authenticator().register(asking: user)
    #expect(user.questions == ["pin registration"])
    let state = try await authenticator().state()
    #expect(state.isRegistered && !state.isPreferred)
    let text = try String(contentsOfFile: stage.store.path, encoding: .utf8)
    #expect(!text.contains("biometric-1"))
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["pin registration", "pin login"])
  }

  @Test func `a second registration replaces the first and leaves no key behind`() async throws {
    try await authenticator().register(asking: user)
    let keys = stage.device.keyCount
    stage.answer("POST /wallet/v1/biometric-token", 201, BiometricToken(token: "biometric-2").json)
    try await authenticator().register(asking: user)
    #expect(stage.device.keyCount == keys)
  }

  @Test func `only a registered login can be preferred`() async throws {
    await #expect(throws: WalletAccessError.noBiometricLogin) { try await authenticator().setPreferred(true) }
    await #expect(throws: WalletAccessError.noBiometricLogin) { try await authenticator().deregister() }
    await #expect(throws: WalletAccessError.noBiometricLogin) {
      _ = try await authenticator().login(prefersBiometric: true, answering: user, asking: user)
    }
  }

  // Login.

  /// Logs out and in again as the user prefers.
  private func logIn(_ user: FixedUser? = nil) async throws -> LoginMethod {
    _ = try? await AuthenticationCoordinator(stage.wallet()).logout()
    return try await authenticator().login(answering: user ?? self.user, asking: user ?? self.user).method
  }

  private func prepare() async throws {
    try await authenticator().register(asking: FixedUser())
    try await authenticator().setPreferred(true)
  }

  @Test func `a finger opens the token and a session`() async throws {
    try await prepare()
    #expect(try await logIn() == .biometric)
    #expect(user.questions == ["biometric"])
    #expect(stage.device.lastPrompt == "Log in")
    let request = try SessionRequest(#require(try stage.bodies("POST /wallet/v1/sessions").last))
    #expect(request == .biometricToken("biometric-1"))
  }

  @Test func `the three answers to the challenge have three outcomes`() async throws {
    try await prepare()
    #expect(try await logIn(FixedUser(biometric: .prompt("Log in"))) == .biometric)
    let withPIN = FixedUser(biometric: .pinFallback)
    #expect(try await logIn(withPIN) == .pin)
    #expect(withPIN.questions == ["biometric", "pin fallback"])
    let cancelling = FixedUser(biometric: .cancel)
    await #expect(throws: WalletAccessError.cancelled) { _ = try await logIn(cancelling) }
    #expect(cancelling.questions == ["biometric"])
    #expect(stage.device.promptCount(.biometric) == 1)
    #expect(try await authenticator().state().isPreferred)
  }

  @Test(arguments: ["", " ", "\n\t"]) func `a prompt without a text is refused before it is shown`(text: String)
    async throws
  {
    try await prepare()
    await #expect(throws: WalletAccessError.emptyPrompt) { _ = try await logIn(FixedUser(biometric: .prompt(text))) }
    #expect(stage.device.promptCount(.biometric) == 0)
  }

  static let fallbacks: [(String, SimulatedUser)] = [
    ("a finger that is never recognised", .fail),
    ("the cancel button of the prompt, or a locked device", .cancel),
    ("a sensor that accepts no more", SimulatedUser(atSensor: [.wearsOutTheSensor], atPasscode: [.cancels])),
  ]

  @Test(arguments: fallbacks)
  func `a failure leads to the PIN by itself and keeps the token`(name: String, script: SimulatedUser) async throws {
    try await prepare()
    stage.device.user = script
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["biometric", "pin fallback"])
    #expect(try await authenticator().state().isPreferred)
    #expect(stage.requests("DELETE /wallet/v1/biometric-token").isEmpty)
    #expect(stage.device.promptCount(.passcode) == 0)
  }

  @Test func `the right device passcode resets the attempts`() async throws {
    let locking = try Self(hardware: .lockingPhone)
    try await locking.resetAttempts()
  }

  private func resetAttempts() async throws {
    try await prepare()
    stage.device.user = .fail
    for _ in 0..<2 { #expect(try await logIn() == .pin) }
    // The sensor is locked: the owner's finger does not help.
    stage.device.user = .approve
    #expect(try await logIn() == .pin)
    #expect(try await stage.device.ports.passcode.verify(prompt: "Unlock") == .matched)
    #expect(try await logIn() == .biometric)
  }

  static let changes: [(String, @Sendable (SimulatedDevice) -> Void)] = [
    ("a finger is added", { $0.enrolBiometric() }),
    ("a finger is removed", { $0.removeLastBiometric() }),
    (
      "a finger replaces another",
      { device in
        device.removeLastBiometric()
        device.enrolBiometric()
      }
    ),
  ]

  @Test(arguments: changes)
  func `a change of the enrolled fingers removes biometric login`(
    name: String, change: @Sendable (SimulatedDevice) -> Void
  ) async throws {
    stage.device.enrolBiometric()
    try await prepare()
    change(stage.device)
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["biometric", "pin biometricsRemoved"])
    #expect(stage.device.promptCount(.biometric) == 0)
    #expect(try await !authenticator().state().isRegistered)
    #expect(stage.requests("DELETE /wallet/v1/biometric-token").count == 1)
    let next = FixedUser()
    #expect(try await logIn(next) == .pin)
    #expect(next.questions == ["pin login"])
  }

  @Test func `a token that the issuer has withdrawn is removed, and the PIN logs in`() async throws {
    try await prepare()
    stage.answer("POST /wallet/v1/sessions", 401, AccessFailure(.wrongCredentials, "no").json)
    stage.thenAnswer("POST /wallet/v1/sessions", 200, WalletSession(session: "s", idleSeconds: 600).json)
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["biometric", "pin withdrawn"])
    #expect(try await !authenticator().state().isRegistered)
  }

  @Test func `an issuer that withdraws biometric login leads to the PIN without a prompt`() async throws {
    try await prepare()
    var requirements = WalletStage.requirements
    requirements.biometricLogin = false
    stage.answer("GET /wallet/v1/requirements", 200, requirements.json)
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["pin withdrawn"])
    #expect(try await authenticator().state().isPreferred)
  }

  @Test func `a process that is observed after the registration logs in by PIN`() async throws {
    try await prepare()
    stage.integrity.change(to: [.tracer(process: 7)])
    #expect(try await logIn() == .pin)
    #expect(user.questions == ["pin tampered"])
  }

  @Test func `an issuer without a login by PIN names the password, with the reason`() async throws {
    try await prepare()
    var requirements = WalletStage.requirements
    requirements.pinLogin = false
    stage.answer("GET /wallet/v1/requirements", 200, requirements.json)
    stage.device.user = .cancel
    let error = await #expect(throws: WalletAccessError.self) { _ = try await logIn() }
    #expect(error == .noPINLogin(PINChallenge(reason: .fallback)))
  }

  @Test func `every condition that is not met is listed`() async throws {
    var requirements = WalletStage.requirements
    (requirements.biometricLogin, requirements.pinLogin) = (false, false)
    stage.answer("GET /wallet/v1/requirements", 200, requirements.json)
    stage.integrity.change(to: [.tracer(process: 7)])
    stage.device.removeAllBiometrics()
    #expect(
      try await authenticator().missingConditions()
        == [.tampered([.tracer(process: 7)]), .notEnrolled, .notAllowed, .noPINLogin])
  }

  @Test func `a changed set is noticed without a prompt`() async throws {
    try await prepare()
    #expect(try await !authenticator().removeIfChanged())
    stage.device.enrolBiometric()
    #expect(try await authenticator().removeIfChanged())
    #expect(try await !authenticator().state().isRegistered)
    #expect(stage.requests("DELETE /wallet/v1/biometric-token").count == 1)
  }

  @Test func `a lost lock removes the token, the session and the contents`() async throws {
    try await prepare()
    _ = try await AuthenticationCoordinator(stage.wallet()).logout()
    stage.device.disableLockScreen()
    stage.device.setPasscode("1234")
    stage.device.enrolBiometric()
    await #expect(throws: WalletAccessError.keysLost) {
      _ = try await authenticator().login(answering: user, asking: user)
    }
    #expect(try await stage.record()?.biometric == nil)
    #expect(stage.contents.wipes >= 1)
  }

  @Test func `on a machine with another TPM a wallet is unavailable, and logs in again where its keys are`()
    async throws
  {
    try await prepare()
    let keys = stage.device.keyCount
    let calls: [(WalletAccess) async throws -> Void] = [
      { [user] wallet in _ = try await BiometricAuthenticator(wallet).login(answering: user, asking: user) },
      { wallet in _ = try await DeviceCoordinator(wallet).status() },
      { wallet in _ = try await DeviceCoordinator(wallet).isLoggedIn() },
    ]
    for call in calls {
      let error = await #expect(throws: WalletAccessError.self) { try await call(stage.wallet(isMoved: true)) }
      #expect(error.map { "\($0)" }?.contains("in another TPM") == true, "\(String(describing: error))")
    }
    #expect(stage.contents.wipes == 0 && stage.device.keyCount == keys)
    #expect(try await logIn() == .biometric)
  }

  @Test func `a removal deletes the key and informs the issuer`() async throws {
    try await prepare()
    let keys = stage.device.keyCount
    try await authenticator().deregister()
    #expect(stage.device.keyCount == keys - 1)
    #expect(stage.requests("DELETE /wallet/v1/biometric-token").count == 1)
    #expect(try await logIn() == .pin)
  }
}

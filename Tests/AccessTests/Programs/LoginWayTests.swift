import DeviceAuthentication
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// `tap-wallet login` without a way, biometric login, and a locked sensor.
@Suite(.blocks, .timeLimit(.minutes(20))) struct LoginWayTests {
  private static let pin = ["pin": ["7413", "7413", "7413"], "challenge": ["prompt", "prompt", "prompt"]]

  /// A linked device whose user prefers biometrics.
  private func programs(_ configuration: String? = nil) throws -> WalletPrograms {
    let programs = try WalletPrograms(configuration)
    try programs.link()
    #expect(try programs.run("biometric", "on", answers: Self.pin).code == 0)
    #expect(try programs.run("biometric", "prefer").code == 0)
    #expect(try programs.run("logout").code == 0)
    return programs
  }

  private func device(_ programs: WalletPrograms) throws -> StoredDevice {
    try StoredDevice(path: programs.state + "/device")
  }

  @Test func `a locked sensor leads to the PIN in the same run, and names the reason`() throws {
    let programs = try programs()
    for _ in 0..<2 {
      #expect(try programs.run("login", "--user", "fail", answers: Self.pin).last["method"]?.text == "pin")
      _ = try programs.run("logout")
    }
    let locked = try programs.run("login", answers: Self.pin)
    #expect(locked.last["method"]?.text == "pin", "\(locked.text)")
    #expect(locked.prompts.last?["reason"]?.text == "locked", "\(locked.text)")
    _ = try programs.run("logout")
    try device(programs).setSensor(nil, isUnlocked: true)
    #expect(try programs.run("login", answers: Self.pin).last["method"]?.text == "biometric")
  }

  @Test func `a device that is not linked logs in by password without a way`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("unlink").code == 0)
    let login = try programs.run(
      "login", "--account", WalletPrograms.user,
      answers: ["password": ["Abcdefgh1"], "answer:pet": ["Rex"], "answer:town": ["Bern"]])
    #expect(login.last["method"]?.text == "password" && login.last["linkedDevice"]?.flag == true, "\(login.text)")
  }

  @Test func `a biometric token whose key is gone leads to the PIN in the same run, and names the reason`() async throws
  {
    let programs = try programs()
    let wallet = try await FileLocalData(directory: programs.state).read().wallets.first
    let token = try #require(wallet?.biometric).token
    try await device(programs).ports.keys.delete(token.sealingKey)
    let login = try programs.run("login", answers: Self.pin)
    #expect(login.last["method"]?.text == "pin", "\(login.text)")
    #expect(login.prompts.last?["reason"]?.text == "tokenGone", "\(login.text)")
    let status = try programs.run("biometric", "status")
    #expect(status.last["registered"]?.flag == false, "\(status.text)")
  }

  @Test func `the prompt's text can be chosen, and must not be empty`() throws {
    let programs = try programs()
    let empty = try programs.run("login", "--reason", " ", answers: Self.pin)
    #expect(empty.errorCode == "EmptyPrompt", "\(empty.text)")
    #expect(
      try programs.run("login", "--reason", "Open my wallet", answers: Self.pin).last["method"]?.text == "biometric")
  }

  @Test func `another sensor has its own words, and removes biometric login`() throws {
    let programs = try programs()
    let simulated = try ProgramRun(
      AccessPrograms.path("tap"),
      ["device", "simulate", "--device", programs.state + "/device", "--sensor", "face", "--biometric", "enrol"])
    #expect(try simulated.finish() == .exited(0), "\(simulated.errors)")
    let status = try programs.run("biometric", "status")
    #expect(status.last["registered"]?.flag == false && status.last["removed"]?.flag == true, "\(status.text)")
    #expect(try programs.run("biometric", "on", answers: Self.pin).code == 0)
    #expect(try programs.run("biometric", "prefer").code == 0)
    _ = try programs.run("logout")
    let login = try programs.run("login", answers: Self.pin)
    #expect(login.last["method"]?.text == "biometric", "\(login.text)")
    #expect(login.prompts.first?["kind"]?.text == "face", "\(login.text)")
  }

  @Test func `every missing condition is listed`() throws {
    let programs = try WalletPrograms(#"{"pinLogin": false, "biometricLogin": false}"#)
    try programs.link()
    try device(programs).setSensor(.some(nil))
    let status = try programs.run("biometric", "status")
    #expect(
      status.last["missingConditions"]?.list?.compactMap(\.text)
        == ["BiometricHardware", "BiometricNotAllowed", "NoPinLogin"], "\(status.text)")
  }

  @Test(arguments: ["--unlock-sensor", nil])
  func `a locked sensor is unlocked by the passcode before a payment`(unlock: String?) throws {
    let programs = try WalletPrograms(try OpenWalletTests.issuer())
    #expect(try programs.enrol().code == 0)
    #expect(try programs.run("cards", "add").code == 0)
    for _ in 0..<2 {
      #expect(try programs.run("pay", "--link", "loopback", "--user", "fail").errorCode != nil)
    }
    if let unlock {
      let simulated = try ProgramRun(
        AccessPrograms.path("tap"), ["device", "simulate", "--device", programs.state + "/device", unlock])
      #expect(try simulated.finish() == .exited(0), "\(simulated.errors)")
    }
    let payment = try programs.run("pay", "--link", "loopback")
    #expect(payment.code == 0 && payment.last["outcome"]?.text == "approved", "\(payment.text)")
    let sensor = payment.events.filter { $0["event"]?.text == "sensor" }.map { $0["locked"]?.flag }
    #expect(sensor == (unlock == nil ? [true, false] : []), "\(payment.text)")
    #expect(try programs.run("status").last["policy"]?.text == "biometricOnly")
  }

  @Test func `a locked sensor is unlocked by the passcode before an operation of an authenticator`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let register = try programs.run(
      "register", "--account", "alice", "--authenticator", "biometric", answers: ["pin": ["123456"]])
    #expect(register.code == 0, "\(register.text)")
    for _ in 0..<2 {
      _ = try programs.run("authenticate", "--authenticator", "biometric", "--user", "fail")
    }
    let authentication = try programs.run("authenticate", "--authenticator", "biometric")
    #expect(authentication.code == 0, "\(authentication.text)")
    let sensor = authentication.events.filter { $0["event"]?.text == "sensor" }.map { $0["locked"]?.flag }
    #expect(sensor == [true, false], "\(authentication.text)")
  }
}

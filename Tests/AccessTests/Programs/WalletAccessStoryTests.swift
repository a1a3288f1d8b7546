import DeviceAuthentication
import Foundation
import JSON
import TestSupport
import Testing

/// Wallet access with both programs.
@Suite(.blocks, .timeLimit(.minutes(20))) struct WalletAccessStoryTests {
  @Test func `a wallet is enrolled, used, deactivated and unlinked`() throws {
    let programs = try WalletPrograms()
    let welcome = try programs.run("status", isFirst: true)
    #expect(welcome.code == 0, "\(welcome.text)")
    #expect(welcome.allowed == WalletOutput.onWelcome)
    #expect(welcome.last["registered"]?.flag == false)
    #expect(welcome.last["keyProtection"]?.text == "simulated")

    let enrolment = try programs.enrol()
    #expect(enrolment.code == 0, "\(enrolment.text)")
    #expect(enrolment.last["method"]?.text == "nonce")
    #expect(enrolment.last["message"]?.text == "Welcome, Alice.")
    #expect(try programs.run("status").allowed == WalletOutput.inWallet)
    let second = try programs.enrol("bob@example.org")
    #expect(second.code == 2)
    #expect(second.errorCode == "AlreadyLinked")

    #expect(try programs.run("logout").last["serverInformed"]?.flag == true)
    #expect(try programs.run("logout").errorCode == "NotLoggedIn")
    let wrong = try programs.run("login", "--pin", answers: ["pin": ["0000"]])
    #expect(wrong.code == 2)
    #expect(wrong.errorCode == "PASSCODE_401")
    let login = try programs.run("login", "--pin", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).errorCode == "AlreadyLoggedIn")

    let unlinking = try programs.run("unlink")
    #expect(unlinking.code == 0, "\(unlinking.text)")
    #expect(unlinking.allowed == WalletOutput.onWelcome)
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).errorCode == "NotLinked")
    #expect(try programs.enrol("bob@example.org").code == 0)
  }

  @Test func `a password and a security question link a device again`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let onLinked = try programs.logIn(password: "Abcdefgh1")
    #expect(onLinked.code == 0, "\(onLinked.text)")
    #expect(onLinked.prompts.map { $0["name"]?.text } == ["password"])
    #expect(try programs.run("unlink").code == 0)

    let wrongPassword = try programs.logIn(password: "Abcdefgh2", answer: "Rex")
    #expect(wrongPassword.errorCode == "PASSCODE_401")
    let wrongAnswer = try programs.logIn(password: "Abcdefgh1", answer: "Fido")
    #expect(wrongAnswer.errorCode == "PASSCODE_401", "\(wrongAnswer.text)")
    #expect(try programs.run("status").last["registered"]?.flag == false)
    let again = try programs.logIn(password: "Abcdefgh1", answer: " rex ")
    #expect(again.code == 0, "\(again.text)")
    #expect(again.last["linkedDevice"]?.flag == true)
    #expect(try programs.run("status").allowed == WalletOutput.inWallet)
  }

  @Test func `a device that the issuer deactivates cannot log in until it is activated`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    let device = try programs.deviceID()
    try programs.operate("wallet", "deactivate", device)
    let status = try programs.run("status")
    #expect(status.last["registered"]?.flag == true)
    #expect(status.last["active"]?.flag == false)
    _ = try programs.run("logout")
    #expect(try programs.run("status").allowed == ["lost", "unlink"])
    let login = try programs.run("login", "--pin", answers: ["pin": ["7413"]])
    #expect(login.code == 2)
    #expect(login.errorCode == "DeviceInactive")
    #expect(login.prompts.isEmpty)
    try programs.operate("wallet", "activate", device)
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    try programs.operate("wallet", "unlink", device)
    #expect(try programs.run("status").allowed == WalletOutput.onWelcome)
  }

  @Test func `the issuer's last attempt with the PIN unlinks the device`() throws {
    let programs = try WalletPrograms(#"{"pinAttempts": 2}"#)
    try programs.link()
    #expect(try programs.run("login", "--pin", answers: ["pin": ["0000"]]).errorCode == "PASSCODE_401")
    let last = try programs.run("login", "--pin", answers: ["pin": ["0000"]])
    #expect(last.code == 2)
    #expect(last.errorCode == "DeviceUnlinked")
    #expect(try programs.run("status").last["registered"]?.flag == false)
    // The account stays.
    #expect(try programs.logIn(password: "Abcdefgh1", answer: "Rex").code == 0)
  }

  @Test func `a biometric login is registered, preferred and lost by a new finger`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let denied = try programs.run("biometric", "on", answers: ["pin": ["0000"]])
    #expect(denied.errorCode == "PASSCODE_401")
    #expect(try programs.run("biometric", "status").last["registered"]?.flag == false)
    let on = try programs.run("biometric", "on", answers: ["pin": ["7413"]])
    #expect(on.code == 0, "\(on.text)")
    #expect(on.last["preferred"]?.flag == false)
    _ = try programs.run("logout")
    #expect(try programs.run("login", answers: ["pin": ["7413"]]).last["method"]?.text == "pin")
    #expect(try programs.run("biometric", "prefer").last["preferred"]?.flag == true)

    let outcomes = [("prompt", "biometric"), ("pin", "pin"), ("cancel", nil)]
    for (challenge, method) in outcomes {
      _ = try programs.run("logout")
      let login = try programs.run("login", answers: ["challenge": [challenge], "pin": ["7413"]])
      #expect(login.last["method"]?.text == method, "\(login.text)")
      #expect(login.errorCode == (method == nil ? "USER_CANCELED" : nil))
    }
    let failing = try programs.run(
      "login", "--user", "fail", answers: ["challenge": ["prompt"], "pin": ["7413"]])
    #expect(failing.last["method"]?.text == "pin", "\(failing.text)")
    _ = try programs.run("logout")
    #expect(try programs.run("login", answers: ["challenge": ["prompt"]]).last["method"]?.text == "biometric")

    try StoredDevice(path: programs.state + "/device").apply([.enrolBiometric])
    _ = try programs.run("logout")
    let changed = try programs.run("login", answers: ["challenge": ["prompt"], "pin": ["7413"]])
    #expect(changed.last["method"]?.text == "pin", "\(changed.text)")
    #expect(changed.prompts.last?["reason"]?.text == "biometricsRemoved")
    #expect(try programs.run("biometric", "status").last["registered"]?.flag == false)
  }

  @Test func `a preloaded library excludes biometric login and nothing else`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let answers = ["pin": ["7413"]]
    let login = try programs.runPreloaded(["login", "--pin"], answers)
    #expect(login.code == 0, "\(login.text)")
    let on = try programs.runPreloaded(["biometric", "on"], answers)
    #expect(on.code == 2)
    #expect(on.errorCode == "DeviceProtection", "\(on.text)")
    #expect(try programs.run("biometric", "on", answers: answers).code == 0)
  }

  @Test func `an issuer without biometric login refuses its registration`() throws {
    let programs = try WalletPrograms(#"{"biometricLogin": false}"#)
    try programs.link()
    let on = try programs.run("biometric", "on", answers: ["pin": ["7413"]])
    #expect(on.code == 2)
    #expect(on.errorCode == "BiometricNotAllowed")
  }

  @Test func `forgotten secrets are replaced and end the session`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    for (secret, name, value) in [("password", "newPassword", "Bcdefghi2"), ("pin", "newPin", "8520")] {
      let answers = ["answer:pet": ["Rex"], "answer:town": ["Bern"], name: [value]]
      let recovery = try programs.run("forgot", secret, "--account", WalletPrograms.user, answers: answers)
      #expect(recovery.code == 0, "\(recovery.text)")
      #expect(try programs.run("logout").errorCode == "NotLoggedIn")
    }
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).errorCode == "PASSCODE_401")
    #expect(try programs.logIn(password: "Abcdefgh1").errorCode == "PASSCODE_401")
    #expect(try programs.run("login", "--pin", answers: ["pin": ["8520"]]).code == 0)
    _ = try programs.run("logout")
    #expect(try programs.logIn(password: "Bcdefghi2").code == 0)
  }

  @Test func `a lost device is unlinked from another one`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let other = ["--state", programs.scratch.path("other"), "--server", programs.url, "--ca", programs.authority]
    let user = ["--account", WalletPrograms.user]
    let answers = ["password": ["Abcdefgh1"], "answer:pet": ["Rex"], "answer:town": ["Bern"]]
    let list = try programs.runElsewhere(["lost", "list"] + other + user, answers)
    #expect(list.code == 0, "\(list.text)")
    let devices = list.last["devices"]?.list ?? []
    #expect(devices.count == 1)
    let lost = try #require(devices.first?["deviceId"]?.text)
    let removal = try programs.runElsewhere(["lost", "remove", lost] + other + user, answers)
    #expect(removal.code == 0, "\(removal.text)")
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).errorCode == "NotLinked")
  }

  @Test func `a session that is too long inactive ends by itself`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let login = try programs.run("login", "--pin", "--idle-seconds", "200", answers: ["pin": ["7413"]])
    #expect(login.code == 0, "\(login.text)")
    // The device's clock also runs: half of the time is left for commands on a slow machine.
    try programs.advance(seconds: 100)
    #expect(try programs.run("status").last["loggedIn"]?.flag == true)
    try programs.advance(seconds: 100)
    #expect(try programs.run("status").last["loggedIn"]?.flag == false)
  }

  @Test func `a server that is not reached leaves the session and the link`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    #expect(try programs.run("login", "--pin", answers: ["pin": ["7413"]]).code == 0)
    #expect(try programs.endServer() == .exited(0))
    let status = try programs.run("status")
    #expect(status.code == 3)
    #expect(status.errorCode == "authenticationInvocationDidFail")
    let shown = try #require(status.events.first { $0["event"]?.text == "status" })
    #expect(shown["registered"]?.flag == false && shown["loggedIn"]?.flag == true)
    #expect(shown["screen"]?.text == "unreached")
    #expect(try programs.run("unlink").code == 3)
    let logout = try programs.run("logout")
    #expect(logout.code == 0)
    #expect(logout.last["serverInformed"]?.flag == false)
  }

  @Test func `a client below the issuer's lowest version goes no further`() throws {
    let programs = try WalletPrograms(
      #"{"appVersions": {"minimum": "99.1", "latest": "99.2", "url": "https://example.org/wallet"}}"#)
    let enrolment = try programs.enrol()
    #expect(enrolment.code == 2)
    #expect(enrolment.errorCode == "OutdatedClient")
    let message = enrolment.last["error"]?["message"]?.text ?? ""
    for word in ["99.1", "99.2", "https://example.org/wallet"] { #expect(message.contains(word), "\(message)") }
    #expect(try programs.run("status").errorCode == "OutdatedClient")
    let registration = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "Phone", answers: ["pin": ["123456"]])
    #expect((registration.code, registration.errorCode) == (2, "OutdatedClient"), "\(registration.text)")
    #expect(registration.prompts.isEmpty)
  }

  @Test func `a wrong profile is not sent`() throws {
    let programs = try WalletPrograms()
    let profile = WalletPrograms.profile("alice@example.org").replacing("\"7413\"", with: "\"1234\"")
    let run = try programs.run(
      "enrol", "--profile", programs.scratch.write("weak.json", profile), isFirst: true)
    #expect(run.code == 2)
    #expect(run.errorCode == "WeakPin", "\(run.text)")
  }

  @Test func `no trace and no file of the wallet contains a secret`() throws {
    let programs = try WalletPrograms()
    let trace = programs.scratch.path("trace")
    #expect(try programs.enrol("alice@example.org", "--trace", trace).code == 0)
    #expect(try programs.run("logout", "--trace", trace).code == 0)
    #expect(try programs.run("biometric", "on", "--trace", trace, answers: ["pin": ["7413"]]).code == 0)
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(text.contains("/wallet/v1/enrolments") && text.contains("payload.bodySHA256"))
    #expect(!text.contains("Abcdefgh1"))
    for secret in ["7413", "Rex"] { #expect(!text.hasWord(secret), "\(secret)") }
    for name in try FileManager.default.contentsOfDirectory(atPath: programs.state) {
      let content = try Data(contentsOf: URL(filePath: programs.state + "/" + name))
      #expect(content.range(of: Data("Abcdefgh1".utf8)) == nil)
      #expect(!String(decoding: content, as: UTF8.self).hasWord("Rex"))
    }
  }
}

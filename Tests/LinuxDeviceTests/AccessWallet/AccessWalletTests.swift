import DeviceAuthentication
import Foundation
import JSON
import TestSupport
import Testing

/// `tap-wallet --device linux`: a user without privileges, keys in a TPM, a finger at fprintd, a passcode at PAM, and a server
/// over TLS. `tap-device` and the server are run by root.
@Suite("A wallet with a server on the device of this machine", .timeLimit(.minutes(60)), .blocks)
struct AccessWalletTests {
  private let wallet: AccessWallet

  init() throws { wallet = try AccessWallet() }

  @Test func `a provisioned card pays by a finger, the server approves, and a removed lock retires it`() async throws {
    try await wallet.setUp()
    let enrolled = try wallet.enrol()
    try #require(enrolled.code == 0, "\(enrolled.text)")
    #expect(try wallet.run("status").last["keyProtection"]?.text == "tpm")
    let added = try wallet.run("cards", "add")
    try #require(added.code == 0, "\(added.text)")
    for number in 1...2 {
      let paid = try wallet.run("pay", "--link", "loopback")
      #expect(paid.code == 0, "\(paid.text)")
      #expect(paid.last["authorizationCode"]?.text == "00000\(number)", "\(paid.text)")
    }
    let payments = try wallet.run("history").events.filter { $0["event"]?.text == "payment" }
    #expect(payments.map { $0["counter"]?.integer } == [2, 1])

    try await wallet.device.apply(.removeAllBiometrics)
    let withoutFinger = try wallet.run("pay", "--link", "loopback")
    #expect((withoutFinger.code, withoutFinger.errorCode) == (2, "biometricNotEnrolled"), "\(withoutFinger.text)")
    try await wallet.device.apply(.enrolBiometric)
    #expect(try wallet.run("pay", "--link", "loopback").code == 0)

    try await wallet.device.apply(.disableLockScreen)
    let wiped = try wallet.run("pay", "--link", "loopback")
    #expect((wiped.code, wiped.errorCode) == (2, "authenticationKeyInvalidated"), "\(wiped.text)")
    let unlocked = try wallet.logIn("--policy", "biometricOnly")
    #expect((unlocked.code, unlocked.errorCode) == (2, "authenticationKeyInvalidated"), "\(unlocked.text)")
    try await wallet.device.apply(.setPasscode)
    let again = try wallet.logIn("--policy", "biometricOnly")
    #expect(again.code == 0, "\(again.text)")
    let cards = try wallet.run("cards", "list").events.filter { $0["event"]?.text == "card" }
    #expect(cards.isEmpty)
  }

  @Test func `PIN, biometric and passcode authenticators have their keys in the TPM, and lose them with the lock`()
    async throws
  {
    try await wallet.setUp()
    let pin = ["pin": "123456"]
    // The further ones are registered after an authentication by PIN.
    let answers = [pin, pin, ["authenticator": "pin", "pin": "123456"]]
    for (authenticator, answers) in zip(["pin", "biometric", "passcode"], answers) {
      let registered = try wallet.run(
        "register", "--account", "alice", "--authenticator", authenticator, "--name", "Laptop", answers: answers)
      #expect(registered.code == 0, "\(authenticator): \(registered.text)")
      #expect(registered.last["authenticator"]?.text == authenticator)
    }
    for authenticator in ["pin", "biometric", "passcode"] {
      let authenticated = try wallet.run(
        "authenticate", "--authenticator", authenticator, answers: authenticator == "pin" ? pin : [:])
      #expect(authenticated.code == 0, "\(authenticator): \(authenticated.text)")
    }
    let files = FileManager.default.enumerator(atPath: wallet.device.program.state)?.allObjects ?? []
    #expect(files.count { ($0 as? String)?.hasSuffix(".key") == true } >= 3, "\(files)")

    try await wallet.device.apply(.disableLockScreen)
    #expect(try wallet.run("authenticate", "--authenticator", "pin", answers: pin).errorCode == "NoDeviceLock")
    try await wallet.device.apply(.setPasscode)
    for authenticator in ["pin", "biometric", "passcode"] {
      let lost = try wallet.run(
        "authenticate", "--authenticator", authenticator, answers: authenticator == "pin" ? pin : [:])
      #expect((lost.code, lost.errorCode) == (2, "KEY_DISAPPEARED_PERMANENTLY"), "\(authenticator): \(lost.text)")
    }
  }

  @Test func `without a TPM every operation ends with Hardware`() async throws {
    try await wallet.setUp()
    let pin = ["pin": "123456"]
    let register = ["register", "--account", "alice", "--authenticator", "pin", "--name", "Laptop"]
    #expect(try wallet.run(register, answers: pin).code == 0)
    #expect(try wallet.enrol().code == 0)
    #expect(try wallet.run("cards", "add").code == 0)
    wallet.device.program.tpm.kill()
    let commands = [
      register, ["authenticate", "--authenticator", "pin"], ["deregister"], ["pin", "change"], ["pending"],
      ["device", "name", "Other"], ["status"], ["login", "--pin"], ["logout"], ["unlink"], ["biometric", "on"],
      ["cards", "list"], ["cards", "add"], ["replenish"], ["pay", "--link", "loopback"], ["history"],
    ]
    for command in commands {
      let refused = try wallet.run(command, answers: pin)
      #expect((refused.code, refused.errorCode) == (2, "Hardware"), "\(command): \(refused.text)")
    }
    try wallet.device.program.tpm.restart()
    #expect(try wallet.run("pay", "--link", "loopback").code == 0)
  }
}

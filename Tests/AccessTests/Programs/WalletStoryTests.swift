import Foundation
import JSON
import TestSupport
import Testing

@Suite(.blocks, .timeLimit(.minutes(20))) struct WalletStoryTests {
  @Test func `the story of a device ends as the README tells it`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let finger = try programs.run(
      "register", "--account", "alice", "--authenticator", "biometric", answers: ["pin": ["123456"]])
    #expect(finger.prompts.map { $0["name"]?.text } == ["pin"])
    #expect(finger.code == 0, "\(finger.text)")
    #expect(finger.last["authenticator"]?.text == "biometric")

    let authentication = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": ["123456"]])
    #expect(authentication.code == 0, "\(authentication.text)")
    #expect(authentication.last["authorization"]?["token"]?.text != nil)

    let image = programs.scratch.path("transaction.png")
    try programs.operate(
      "dispatch", "authentication", "--account", "alice", "--channel", "png-qr-code", "--text", "Pay 100.00 CHF",
      "--output", image)
    let confirmation = try programs.run("redeem", image, "--authenticator", "biometric", answers: ["confirm": ["yes"]])
    #expect(confirmation.code == 0, "\(confirmation.text)")
    #expect(confirmation.last["transactionConfirmed"]?.flag == true)
    #expect(confirmation.prompts.first?["transaction"]?.text == "Pay 100.00 CHF")
    let again = try programs.run("redeem", image, "--authenticator", "biometric", answers: ["confirm": ["yes"]])
    #expect(again.code == 2)
    #expect(again.errorCode == "TokenAlreadyRedeemed")

    let change = try programs.run("pin", "change", answers: ["oldPin": ["123456"], "newPin": ["654321"]])
    #expect(change.code == 0, "\(change.text)")

    try lockOut(programs)
    let deregistration = try programs.run("deregister")
    #expect(deregistration.code == 0, "\(deregistration.text)")
    #expect(try !programs.run("accounts").hasRegistration)
    #expect(try programs.endServer() == .exited(0))
  }

  /// Enters five wrong PINs. The old PIN is the first of them.
  private func lockOut(_ programs: AccessPrograms) throws {
    let three = try programs.run(
      "authenticate", "--authenticator", "pin", answers: ["pin": ["123456", "000000", "000001", "654321"]])
    #expect(three.code == 2)
    #expect(three.errorCode == "unanswered")
    #expect(three.prompts.map { $0["remainingRetries"]?.integer } == [5, 4, 3, 2, 2])
    #expect(three.prompts.map { $0["coolDownSeconds"]?.integer == 0 } == [true, true, true, false, false])
    #expect(
      three.prompts.map { $0["lastError"]?.text } == [nil, "InvalidPin", "InvalidPin", "InvalidPin", "InvalidPin"])
    try programs.advance(seconds: 60)
    let fourth = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": ["000002"]])
    #expect(fourth.prompts.map { $0["remainingRetries"]?.integer } == [2, 1])
    try programs.advance(seconds: 180)
    let fifth = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": ["000003", "654321"]])
    #expect(fifth.code == 2)
    #expect(fifth.errorCode == "USER_LOCKOUT")
    #expect(fifth.prompts.count == 1)
    let right = try programs.run("authenticate", "--authenticator", "pin", answers: ["pin": ["654321"]])
    #expect(right.errorCode == "USER_LOCKOUT")
    #expect(right.prompts.isEmpty)
    let accounts = try programs.run("accounts").events.filter { $0["event"]?.text == "registration" }
    #expect(accounts.map { $0["protection"]?.text } == ["lockedOut", "unlocked"])
    let finger = try programs.run("authenticate", "--authenticator", "biometric")
    #expect(finger.code == 0, "\(finger.text)")
  }

  @Test func `a message comes as a link, as JSON and by push`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let link = try programs.operate("dispatch", "authentication", "--account", "alice", "--channel", "link")
    let text = try #require(link.split(whereSeparator: \.isWhitespace).first { $0.contains("dispatchTokenResponse=") })
    let byLink = try programs.run("redeem", String(text), answers: ["pin": ["123456"]])
    #expect(byLink.code == 0, "\(byLink.text)")
    let push = try programs.run("device", "push", "address-of-alice")
    #expect(push.code == 0, "\(push.text)")
    try programs.operate("dispatch", "authentication", "--account", "alice", "--channel", "push", "--text", "Pay 5 CHF")
    let list = try programs.run("pending")
    #expect(list.last["operations"]?.integer == 1, "\(list.text)")
    let pending = try programs.run("pending", "--redeem", answers: ["pin": ["123456"], "confirm": ["yes"]])
    #expect(pending.last["transactionConfirmed"]?.flag == true, "\(pending.text)")
    #expect(try programs.run("pending").last["operations"]?.integer == 0)
  }

  @Test func `a refused transaction signs nothing`() throws {
    let programs = try AccessPrograms()
    try programs.registerPIN()
    let image = programs.scratch.path("transaction.png")
    try programs.operate(
      "dispatch", "authentication", "--account", "alice", "--channel", "png-qr-code", "--text", "Pay", "--output", image
    )
    let refusal = try programs.run("redeem", image, answers: ["confirm": ["no"], "pin": ["123456"]])
    #expect(refusal.code == 2)
    #expect(refusal.errorCode == "USER_CANCELED")
    #expect(refusal.prompts.map { $0["name"]?.text } == ["confirm"])
  }

  @Test func `a password is refused until it obeys the policy, and changed`() throws {
    let programs = try AccessPrograms()
    let registration = try programs.run(
      "register", "--account", "alice", "--authenticator", "password", "--name", "Phone",
      answers: ["password": ["Abcdefg1", "abcdefgh1j", "Abcdefgh1j"]], isFirst: true)
    #expect(registration.code == 0, "\(registration.text)")
    #expect(
      registration.prompts.map { $0["lastError"]?.text } == [nil, "CustomValidationError", "CustomValidationError"])
    let change = try programs.run(
      "password", "change",
      answers: [
        "oldPassword": ["wrong", "Abcdefgh1j", "Abcdefgh1j"],
        "newPassword": ["Bbcdefgh1j", "Abcdefgh1j", "Bbcdefgh1j"],
      ])
    #expect(change.code == 0, "\(change.text)")
    #expect(
      change.prompts.filter { $0["name"]?.text == "oldPassword" }.map { $0["lastError"]?.text }
        == [nil, "InvalidPassword", "OldPasswordEqualsNewPassword"])
    let old = try programs.run("authenticate", answers: ["password": ["Abcdefgh1j"]])
    #expect(old.errorCode == "unanswered")
    #expect(try programs.run("authenticate", answers: ["password": ["Bbcdefgh1j"]]).code == 0)
  }
}

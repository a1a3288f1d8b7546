import DeviceAuthentication
import Fixtures
import Foundation
import JSON
import TestSupport
import Testing

/// A wallet that was wiped because the device had lost its keys, at the programs.
@Suite("A wiped wallet", .blocks, .timeLimit(.minutes(30)))
struct WipedWalletTests {
  private let programs: WalletPrograms
  private var state: String { programs.state }

  init() throws { programs = try PaymentStoryTests.programs() }

  private func tap(_ command: String) throws -> WalletOutput {
    try WalletOutput(
      ProgramRun(
        AccessPrograms.path("tap"),
        command.split(separator: " ").map(String.init) + ["--wallet", state, "--format", "json"]), isTap: true)
  }

  private func profile() throws -> String {
    try programs.scratch.write("profile.json", WalletPrograms.profile("new@example.org"))
  }

  private func run(_ command: String) throws -> WalletOutput {
    if command.hasPrefix("tap ") { return try tap(String(command.dropFirst(4))) }
    return try programs.runElsewhere(
      command.split(separator: " ").map(String.init) + ["--state", state],
      ["password": ["Abcdefgh1"], "pin": ["7413"], "answer:pet": ["Rex"], "answer:town": ["Bern"]])
  }

  /// Enrols under a policy, adds a card, and removes the device lock for a moment.
  private func wipe(_ policy: String) throws {
    let enrolled = try programs.enrol(WalletPrograms.user, "--policy", policy)
    try #require(enrolled.code == 0, "\(enrolled.text)")
    #expect(try run("status").last["policy"]?.text == policy)
    try #require(run("cards add").code == 0)
    #expect(try tap("wallet status").last["policy"]?.text == policy)
    let device = try StoredDevice(path: state + "/device")
    try device.apply([.disableLockScreen])
    try device.apply([.setPasscode, .enrolBiometric])
  }

  /// Every command that uses the wallet or could set it up.
  static let commands = [
    "tap present --link loopback", "tap present --link loopback --policy userPresence",
    "tap present --link loopback --unarmed", "tap wallet list", "tap wallet keys", "tap wallet status",
    "tap wallet add --card CARD --id new", "tap wallet suspend x", "tap wallet replenish x", "pay --link loopback",
    "cards add", "cards list", "replenish", "history", "login --password --account alice@example.org", "login --pin",
    "enrol --profile PROFILE",
  ]

  private func expectWiped(_ command: String) throws {
    let card = Fixtures.url("Cards/visa-cvn18.json").path
    let words = command.replacing("CARD", with: card).replacing("PROFILE", with: try profile())
    let refused = try run(words)
    let code = refused.errorCode
    #expect(code == "authenticationKeyInvalidated", "\(command): \(refused.text)")
    #expect(refused.code == 2, "\(command)")
    #expect(refused.text.contains("--policy"), "\(command): \(refused.text)")
  }

  @Test(arguments: [
    "tap present --link loopback", "pay --link loopback", "cards add", "login --pin", "tap wallet list",
  ])
  func `the first command after the loss wipes the wallet, and no later one sets it up`(_ first: String) throws {
    try wipe("userPresence")
    for command in [first] + Self.commands { try expectWiped(command) }
    // The first check finds that the identity of the device is lost too.
    try expectWiped("status")
    let status = try run("status")
    #expect(status.last["policy"] == nil && status.last["wiped"]?.flag == true, "\(status.text)")
  }

  @Test(arguments: ["biometricOnly", "userPresence"])
  func `a login with a policy sets a wiped wallet up under it`(_ policy: String) throws {
    try wipe("userPresence")
    try expectWiped("pay --link loopback")
    let login = try run("login --password --account alice@example.org --policy \(policy)")
    #expect(login.code == 0, "\(login.text)")
    let status = try run("status")
    #expect(status.last["policy"]?.text == policy && status.last["wiped"] == nil, "\(status.text)")
    #expect(try run("cards add").code == 0)
    #expect(try tap("wallet status").last["policy"]?.text == policy)
    let paid = try run("pay --link loopback")
    #expect(paid.code == 0, "\(paid.text)")
  }

  @Test(arguments: [true, false], [true, false])
  func `the open wallet names the lost keys after the lock was removed`(_ isSetAgain: Bool, _ isLoggedIn: Bool) throws {
    try #require(try programs.enrol().code == 0)
    try #require(run("cards add").code == 0)
    if !isLoggedIn { #expect(try run("logout").code == 0) }
    let device = try StoredDevice(path: state + "/device")
    try device.apply([.disableLockScreen])
    if isSetAgain { try device.apply([.setPasscode, .enrolBiometric]) }
    let opened = try programs.open(["quit"])
    #expect(opened.ends.first == "authenticationKeyInvalidated", "\(opened.text)")
    #expect(opened.text.contains("--policy"), "\(opened.text)")
    // Without a lock the next step is to set one.
    if !isSetAgain {
      #expect(try run("status").errorCode == "NoDeviceLock")
      try device.apply([.setPasscode, .enrolBiometric])
    }
    let login = try run("login --password --account alice@example.org --policy biometricOnly")
    #expect(login.code == 0, "\(login.text)")
    #expect(try run("cards add").code == 0)
  }

  @Test(arguments: [
    "tap wallet add --card CARD --id new --policy userPresence", "tap device enrol --policy userPresence",
  ])
  func `a wallet of tap is set up again by a command that names the policy`(_ command: String) throws {
    let card = Fixtures.url("Cards/visa-cvn18.json").path
    #expect(try tap("wallet add --card \(card) --id old").code == 0)
    let device = try StoredDevice(path: state + "/device")
    try device.apply([.disableLockScreen, .setPasscode, .enrolBiometric])
    for refused in ["tap present --link loopback", "tap wallet list", "tap wallet add --card CARD --id new"] {
      try expectWiped(refused)
    }
    let again = try run(command.replacing("CARD", with: card))
    #expect(again.code == 0, "\(again.text)")
    #expect(try tap("wallet status").last["policy"]?.text == "userPresence")
  }

  @Test func `another policy than that of the cards is refused before anything is sent`() throws {
    let enrolled = try programs.enrol()
    try #require(enrolled.code == 0, "\(enrolled.text)")
    #expect(try run("status").last["policy"]?.text == "biometricOnly")
    try #require(run("cards add").code == 0)
    #expect(try run("logout").code == 0)
    let refused = try run("login --pin --policy userPresence")
    #expect((refused.code, refused.errorCode) == (2, "alreadyConfigured"), "\(refused.text)")
    #expect(refused.prompts.isEmpty)
    #expect(try run("unlink").code == 0)
    let other = try run("login --password --account alice@example.org --policy userPresence")
    #expect(other.code == 0, "\(other.text)")
    #expect(try run("status").last["policy"]?.text == "userPresence")
  }
}

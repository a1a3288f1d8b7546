import DeviceAuthentication
import Fixtures
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Both programs: a user who gets a card from the issuer of the server, and pays with it at a terminal that the same issuer
/// authorises.
@Suite("Payments with a provisioned card", .blocks, .timeLimit(.minutes(20)))
struct PaymentStoryTests {
  static func programs(card: String = "visa-cvn18", uses: Int = 4, threshold: Int = 2) throws -> WalletPrograms {
    let profile = String(decoding: try Fixtures.data("Cards/\(card).json"), as: UTF8.self)
    return try WalletPrograms(#"{"cards": [\#(profile)], "uses": \#(uses), "threshold": \#(threshold)}"#)
  }

  /// Enrols a wallet and adds a card.
  ///
  /// - Returns: The identifier of the card.
  static func addCard(_ programs: WalletPrograms) throws -> String {
    let enrolment = try programs.enrol()
    try #require(enrolment.code == 0, "\(enrolment.text)")
    let added = try programs.run("cards", "add")
    try #require(added.code == 0, "\(added.text)")
    return try #require(added.last["card"]?.text)
  }

  private func pay(_ programs: WalletPrograms) throws -> WalletOutput { try programs.run("pay", "--link", "loopback") }

  @Test func `a provisioned card pays, and its counter continues after a restart of the server`() throws {
    let programs = try Self.programs()
    let card = try Self.addCard(programs)
    let first = try pay(programs)
    #expect(first.code == 0, "\(first.text)")
    #expect(first.last["authorizationCode"]?.text == "000001")

    try programs.restartServer()
    let second = try pay(programs)
    #expect(second.code == 0, "\(second.text)")
    #expect(second.last["authorizationCode"]?.text == "000002")
    let replenished = second.events.first { $0["event"]?.text == "replenished" }
    #expect(replenished?["paymentsLeft"]?.integer == 6)

    let history = try programs.run("history")
    let payments = history.events.filter { $0["event"]?.text == "payment" }
    #expect(payments.map { $0["counter"]?.integer } == [2, 1])
    #expect(payments.map { $0["amount"]?.integer } == [1_234, 1_234])
    #expect(payments.map { $0["card"]?.text } == [card, card])
    #expect(try programs.endServer() == .exited(0))
  }

  @Test func `the history shows amounts with the letters of their currency`() throws {
    let programs = try Self.programs()
    _ = try Self.addCard(programs)
    #expect(try pay(programs).code == 0)
    let history = try programs.start("history", format: "text")
    #expect(try history.finish() == .exited(0), "\(history.errors)")
    #expect(history.output.contains(": 12.34 EUR, ATC 1, approved\n"), "\(history.output)")
  }

  @Test func `two replenishments at once store each delivery once`() throws {
    let programs = try Self.programs()
    _ = try Self.addCard(programs)
    let both = try (1...2).map { _ in try programs.start("replenish", "--force") }
    for run in both { #expect(try WalletOutput(run).code == 0) }
    let last = try programs.run("replenish", "--force")
    let left = try #require(last.events.first?["paymentsLeft"]?.integer)
    let sql = "SELECT sum(uses) FROM keyDelivery"
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
    let granted = try ProgramRun("/usr/bin/python3", ["-c", script, programs.scratch.path("server.sqlite"), sql])
    #expect(try granted.finish() == .exited(0), "\(granted.errors)")
    #expect(granted.output == "\(left)\n")
  }

  @Test func `a suspended card does not pay until the operator resumes it`() throws {
    let programs = try Self.programs()
    let card = try Self.addCard(programs)
    _ = try programs.operate("card", "suspend", card)
    let refused = try pay(programs)
    #expect(refused.code == 2, "\(refused.text)")
    let list = try programs.run("cards", "list")
    #expect(list.events.first?["state"]?.text == "suspended")
    _ = try programs.operate("card", "resume", card)
    let paid = try pay(programs)
    #expect(paid.code == 0, "\(paid.text)")
  }

  @Test func `a deactivated device does not pay, and its cards are suspended`() throws {
    let programs = try Self.programs()
    _ = try Self.addCard(programs)
    let device = try #require(programs.operate("wallet", "list").split(separator: "\t").dropFirst().first)
    _ = try programs.operate("wallet", "deactivate", String(device))
    for _ in 0..<2 {
      let refused = try pay(programs)
      #expect((refused.code, refused.errorCode) == (2, "DeviceInactive"), "\(refused.text)")
    }
  }

  @Test func `after a removed lock the next login retires the cards of the device at the issuer`() throws {
    let programs = try Self.programs()
    let card = try Self.addCard(programs)
    let device = try StoredDevice(path: programs.state + "/device")
    try device.apply([.disableLockScreen])
    try device.apply([.setPasscode, .enrolBiometric])
    #expect(try pay(programs).errorCode == "authenticationKeyInvalidated")
    #expect(try programs.operate("card", "list").contains("\(card)\tactive"))

    let login = try programs.logIn(password: "Abcdefgh1", answer: "Rex", "--policy", "biometricOnly")
    #expect(login.code == 0, "\(login.text)")
    #expect(try programs.operate("card", "list").contains("\(card)\tdeleted"))
    #expect(try programs.run("cards", "list").events.filter { $0["event"]?.text == "card" }.isEmpty)
    #expect(try programs.run("cards", "add").code == 0)
    let paid = try pay(programs)
    #expect(paid.code == 0, "\(paid.text)")
  }

  @Test func `a payment needs a login, and unlinking removes the cards`() throws {
    let programs = try Self.programs()
    _ = try Self.addCard(programs)
    #expect(try programs.run("logout").code == 0)
    let refused = try pay(programs)
    #expect((refused.code, refused.errorCode) == (2, "NotLoggedIn"), "\(refused.text)")
    #expect(try programs.run("unlink").code == 0)
    #expect(try programs.operate("card", "list").contains("deleted"))
    #expect(try pay(programs).errorCode == "NotLinked")
  }

  @Test func `keys are replenished on request, once for a lost answer`() throws {
    let programs = try Self.programs()
    let card = try Self.addCard(programs)
    let enough = try programs.run("replenish")
    #expect(enough.last["replenished"]?.integer == 0, "\(enough.text)")
    let forced = try programs.run("replenish", "--force", "--card", card)
    #expect(forced.events.first?["paymentsLeft"]?.integer == 8, "\(forced.text)")
    // As if the wallet had ended before it removed the identifier of a delivery that it had stored.
    let pending = #"{"keys:\#(card)":"delivery-0000000001"}"#
    try pending.write(toFile: programs.state + "/deliveries.json", atomically: true, encoding: .utf8)
    for left in [12, 16] {
      let again = try programs.run("replenish", "--force", "--card", card)
      #expect(again.events.first?["paymentsLeft"]?.integer == left, "\(again.text)")
      if left == 12 {
        try pending.write(toFile: programs.state + "/deliveries.json", atomically: true, encoding: .utf8)
      }
    }
  }

  /// Runs `tap-authorize`, or the command of `tap-wallet`, with one request on standard input.
  private static func authorize(
    _ program: [String], _ request: String, at server: String? = nil
  ) throws -> WalletOutput {
    let programs = try Self.programs()
    let file = try FileHandle(forReadingFrom: URL(filePath: programs.scratch.write("request", request + "\n")))
    let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(descriptor) }
    let options = ["--server", server ?? programs.url, "--ca", programs.authority]
    return try WalletOutput(
      ProgramRun(AccessPrograms.path(program[0]), program.dropFirst() + options, descriptors: [0: descriptor]))
  }

  @Test(arguments: [["tap-authorize"], ["tap-wallet", "authorize"]])
  func `a terminal gets the response of the issuer in one line, or the reason without one`(program: [String]) throws {
    let request = #"{"accountNumber":"4761739001010010","elements":{}}"#
    let response = try Self.authorize(program, request)
    #expect(response.code == 0, "\(response.text)")
    #expect(response.last["decision"]?.text == "unknownCard" && response.last["responseCode"]?.text == "14")

    let noRequest = try Self.authorize(program, "{}")
    #expect(noRequest.code == 2 && noRequest.last["error"]?["code"]?.text == "InvalidArgument", "\(noRequest.text)")
    let unreached = try Self.authorize(program, request, at: "https://127.0.0.1:1")
    #expect(unreached.code == 3 && unreached.last["error"]?["code"]?.text == "NetworkError", "\(unreached.text)")
    #expect(try Self.authorize(program, request, at: "http://127.0.0.1:1").code == 64)
  }
}

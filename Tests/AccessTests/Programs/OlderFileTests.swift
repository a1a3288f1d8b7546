import Foundation
import JSON
import TestSupport
import Testing

/// One file of a state folder that was put back in an older version, while the others and the device stay.
@Suite("An older file of a state folder", .blocks, .timeLimit(.minutes(30)))
struct OlderFileTests {
  private let programs: WalletPrograms
  private var state: String { programs.state }

  init() throws { programs = try PaymentStoryTests.programs() }

  private func run(_ command: String) throws -> WalletOutput {
    try programs.run(
      command.split(separator: " ").map(String.init),
      answers: ["pin": ["7413", "8524"], "newPin": ["8524"], "password": ["Abcdefgh1"], "answer:pet": ["Rex"]])
  }

  private func succeed(_ command: String) throws {
    let output = try run(command)
    try #require(output.code == 0, "\(command): \(output.text)")
  }

  /// Copies a file, runs commands, and puts the copy back.
  private func putBack(_ name: String, after commands: [String]) throws {
    let file = URL(filePath: state + "/" + name)
    let older = try Data(contentsOf: file)
    for command in commands { try succeed(command) }
    try older.write(to: file)
  }

  /// How many cards the folder has, read without the server.
  private func cardCount() throws -> Int {
    let list = try ProgramRun(AccessPrograms.path("tap"), ["wallet", "list", "--wallet", state])
    #expect(try list.finish() == .exited(0), "\(list.errors)")
    return list.output.split(separator: "\n").count
  }

  /// What happened after the copy was made, the next command, and its end.
  static let rows: [(after: [String], next: String, code: Int32, error: String?)] = [
    (["logout"], "cards list", 2, "NotLoggedIn"),
    (["logout"], "pay --link loopback", 2, "NotLoggedIn"),
    (["logout"], "logout", 2, "NotLoggedIn"),
    (["logout"], "status", 0, nil),
    (["logout"], "login --pin", 0, nil),
    (["logout"], "login --password --account alice@example.org", 0, nil),
    (["logout", "login --pin"], "cards list", 2, "NotLoggedIn"),
    (["logout", "login --pin", "logout"], "replenish", 2, "NotLoggedIn"),
    (["pay --link loopback"], "pay --link loopback", 0, nil),
    (["timeout 300"], "cards list", 0, nil),
    (["biometric on", "logout"], "login --pin", 0, nil),
  ]

  @Test(arguments: rows.indices)
  func `an older mobile-authentication.json removes no card, and its session is not open`(_ index: Int) throws {
    let row = Self.rows[index]
    _ = try PaymentStoryTests.addCard(programs)
    try putBack("mobile-authentication.json", after: row.after)
    let next = try run(row.next)
    #expect((next.code, next.errorCode) == (row.code, row.error), "\(row): \(next.text)")
    #expect(try cardCount() == 1)
    if row.error != nil || row.next == "status" { try succeed("login --pin") }
    try succeed("pay --link loopback")
  }

  @Test func `an older mobile-authentication.json with biometric login that was removed leads to the PIN`() throws {
    _ = try PaymentStoryTests.addCard(programs)
    try succeed("biometric on")
    try putBack("mobile-authentication.json", after: ["biometric off", "logout"])
    let login = try run("login")
    #expect(login.code == 0 && login.last["method"]?.text == "pin", "\(login.text)")
    #expect(try cardCount() == 1)
  }

  @Test(arguments: ["deliveries.json", "settings.json"])
  func `an older file beside it changes nothing`(_ name: String) throws {
    _ = try PaymentStoryTests.addCard(programs)
    try putBack(name, after: ["pay --link loopback", "replenish --force", "logout", "login --pin"])
    #expect(try cardCount() == 1)
    try succeed("pay --link loopback")
    try succeed("replenish --force")
    let cards = try run("cards list")
    #expect(cards.events.first?["paymentsLeft"]?.integer == 10, "\(cards.text)")
  }

  /// What takes a right from the card after the copy of its store was made; for the operator CARD is its identifier.
  static let withdrawals: [(by: String, follow: String?)] = [
    ("pay --link loopback", nil), ("operator card suspend CARD", "cards list"), ("tap wallet suspend", nil),
    ("tap wallet retire", nil), ("tap wallet delete", nil),
  ]

  @Test(arguments: withdrawals.indices)
  func `an older wallet.sqlite pays no more, and nothing is removed`(_ index: Int) throws {
    let row = Self.withdrawals[index]
    let card = try PaymentStoryTests.addCard(programs)
    let file = URL(filePath: state + "/wallet.sqlite")
    let older = try Data(contentsOf: file)
    var words = row.by.split(separator: " ").map(String.init)
    switch words.removeFirst() {
    case "operator": _ = try programs.operate(words[0], words[1], card)
    case "tap":
      let run = try ProgramRun(AccessPrograms.path("tap"), words + [card, "--wallet", state])
      try #require(try run.finish() == .exited(0), "\(run.errors)")
    default: try succeed(row.by)
    }
    if let follow = row.follow { try succeed(follow) }
    try older.write(to: file)
    let paid = try run("pay --link loopback")
    #expect((paid.code, paid.errorCode) == (2, "storeRolledBack"), "\(paid.text)")
    let count = try AccessPrograms.value("SELECT count(*) FROM card", in: file.path)
    #expect(count == "1")
  }

  @Test func `an older wallet.sqlite of an unlinked wallet has lost its key`() throws {
    _ = try PaymentStoryTests.addCard(programs)
    try putBack("wallet.sqlite", after: ["unlink"])
    let list = try ProgramRun(AccessPrograms.path("tap"), ["present", "--link", "loopback", "--wallet", state])
    #expect(try list.finish() == .exited(2), "\(list.errors)")
    #expect(!list.output.contains("cryptogram"))
    #expect(try AccessPrograms.value("SELECT count(*) FROM card", in: state + "/wallet.sqlite") == "0")
  }
}

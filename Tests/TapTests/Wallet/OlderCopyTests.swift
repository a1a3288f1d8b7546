import Fixtures
import Foundation
import TestSupport
import Testing

/// Every command of `tap` that takes a right away, and an older file that is put back beside the device.
@Suite("tap wallet and an older copy", .blocks, .timeLimit(.minutes(20)))
struct OlderCopyTests {
  let scratch: Scratch
  let folder: String
  private var database: String { folder + "/wallet.sqlite" }

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
  }

  /// What is put back.
  enum Older: CaseIterable {
    /// The whole file from before the change.
    case file
    /// A journal of SQLite that restores the pages from before the change.
    case journal
  }

  /// A command, with the words after `tap`; whether it leaves the device the key of the wallet.
  static let changes: [(command: String, keepsKey: Bool)] = [
    ("wallet suspend card", true), ("wallet retire card", true), ("wallet delete card", true), ("wallet reset", false),
    ("present --link loopback", true),
  ]

  private func run(_ command: String) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(command.split(separator: " ").map(String.init) + ["--wallet", folder, "--format", "json"]))
  }

  private func addCard() throws {
    let card = TapProgram.card("visa-cvn18")
    let added = try run("wallet add --card \(card) --id card --uses 9")
    try #require(added.code == 0, "\(added.errors)")
  }

  /// A journal that restores the present pages: that of a program which was killed while it changed all of them.
  private func journal() throws -> Data {
    let script = """
      import os, shutil, sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("PRAGMA journal_mode = TRUNCATE")
      database.execute("PRAGMA cache_size = 1")
      database.execute("BEGIN IMMEDIATE")
      for table in ["card", "binding", "seal", "paymentKey", "account"]:
        column = database.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchone()[0]
        database.execute(f"UPDATE {table} SET {column} = {column}")
      database.execute("CREATE TABLE other (filling BLOB)")
      database.execute("INSERT INTO other VALUES (randomblob(200000))")
      shutil.copy(sys.argv[1] + "-journal", sys.argv[2])
      os._exit(0)
      """
    let copy = scratch.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: database, toPath: copy)
    let made = try ProgramRun("python3", ["-c", script, copy, scratch.path("journal")])
    try #require(try made.finish() == .exited(0), "\(made.errors)")
    return try Data(contentsOf: URL(filePath: scratch.path("journal")))
  }

  @Test(arguments: changes.indices, Older.allCases)
  func `an older file that is put back after a command pays no more`(_ index: Int, _ older: Older) throws {
    let change = Self.changes[index]
    try addCard()
    let (file, journal) = (try Data(contentsOf: URL(filePath: database)), try journal())
    let made = try run(change.command)
    try #require(made.code == 0, "\(made.output)\(made.errors)")
    #expect(!made.errors.contains("warning"), "\(made.errors)")
    switch older {
    case .file: try file.write(to: URL(filePath: database))
    case .journal: try journal.write(to: URL(filePath: database + "-journal"))
    }
    for _ in 1...2 {
      let paid = try run("present --link loopback")
      #expect(paid.code != 0 && !paid.output.contains("cryptogram"), "\(paid.output)")
      // A journal whose pages are no database together is refused as a damaged store.
      guard change.keepsKey, older == .file else { continue }
      #expect(try paid.errorCode() == "storeRolledBack", "\(paid.output)\(paid.errors)")
    }
  }

  @Test func `an older file pays no more after the issuer has blocked the card`() throws {
    let made = try TapProgram.run("card", "new", "--scheme", "visa", "--issuer-response")
    let profile = try #require(
      try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any])
    var applications = try #require(profile["applications"] as? [[String: Any]])
    applications[0]["getData"] = ["9F58 01"]
    applications[0]["scripts"] = ["putData": ["9F58"]]
    let changed = profile.merging(["applications": applications]) { $1 }
    let card = scratch.path("card.json")
    try JSONSerialization.data(withJSONObject: changed).write(to: URL(filePath: card))
    let added = try run("wallet add --card \(card) --id card --uses 9")
    try #require(added.code == 0, "\(added.errors)")
    let older = try Data(contentsOf: URL(filePath: database))
    let exercise = URL(filePath: TapProgram.path).deletingLastPathComponent().appending(path: "wallet-exercise").path
    let blocked = try ProgramRun(
      exercise,
      [
        "issuer", "--wallet", folder, "--device", folder + "/device", "--card", card, "--journal", scratch.path("log"),
      ])
    try #require(try blocked.finish(timeout: .seconds(120)) == .exited(0), "\(blocked.errors)")
    // The payment, PUT DATA and APPLICATION BLOCK.
    let device = try String(contentsOfFile: folder + "/device", encoding: .utf8)
    #expect(device.contains(#""counter": 3"#) || device.contains(#""counter": 2"#), "\(device)")
    try older.write(to: URL(filePath: database))
    #expect(try run("present --link loopback").errorCode() == "storeRolledBack")
  }

  @Test func `a command warns when the device cannot count, and the next one counts`() throws {
    try addCard()
    let older = try Data(contentsOf: URL(filePath: database))
    let device = folder + "/device"
    // The device is not there at all: only a reset goes on without it.
    try FileManager.default.moveItem(atPath: device, toPath: scratch.path("device"))
    let reset = try run("wallet reset")
    #expect(reset.code == 0 && reset.errors.contains("warning: "), "\(reset.errors)")
    try FileManager.default.moveItem(atPath: scratch.path("device"), toPath: device)
    let again = try run("wallet add --card \(TapProgram.card("visa-cvn18")) --id other --uses 9")
    #expect(again.code == 0, "\(again.errors)")
    try older.write(to: URL(filePath: database))
    let paid = try run("present --link loopback")
    #expect(try paid.errorCode() == "authenticationKeyInvalidated", "\(paid.output)")
  }
}

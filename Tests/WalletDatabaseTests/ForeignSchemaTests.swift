import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Fixtures
import Foundation
import GRDB
import TestSupport
import Testing

@testable import WalletDatabase

/// Objects that another program writes into the file of a store.
@Suite("A wallet store with a foreign schema", .timeLimit(.minutes(20)))
struct ForeignSchemaTests {
  let folder = Folder()
  let image: CardImage

  init() throws { image = try TestCard.image() }

  /// Gives every use back, and lets the passcode verify.
  static let trigger = """
    CREATE TRIGGER again AFTER DELETE ON reservation BEGIN
      UPDATE account SET floor = 1;
      UPDATE paymentKey SET usesLeft = 9;
      UPDATE binding SET policy = 'userPresence';
    END
    """

  static let changes = [
    trigger, "CREATE TRIGGER t BEFORE UPDATE ON binding BEGIN SELECT 1; END",
    "CREATE VIEW foreignView AS SELECT * FROM card", "CREATE INDEX byState ON card (state)",
    "CREATE UNIQUE INDEX one ON reservation (card)", "DROP INDEX reservedUseByKey", "CREATE TABLE further (x)",
    "ALTER TABLE account ADD COLUMN further TEXT", "ALTER TABLE card RENAME COLUMN threshold TO limitOfUses",
    "ALTER TABLE seal RENAME TO former; CREATE VIEW seal AS SELECT * FROM former",
    written("UPDATE sqlite_schema SET sql = replace(sql, 'BETWEEN 0 AND 65536', 'BETWEEN 0 AND 99999')"),
    written("UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (place = 1)', '') WHERE name = 'binding'"),
    written("UPDATE sqlite_schema SET sql = replace(sql, 'ON DELETE CASCADE', '') WHERE name = 'reservation'"),
    written("INSERT INTO sqlite_schema VALUES ('view', 'v', 'v', 0, 'CREATE VIEW v AS SELECT 1')"),
  ]

  /// A statement that changes the table of the schema itself, and makes open connections read it again.
  private static func written(_ statement: String) -> String {
    "PRAGMA writable_schema = ON; \(statement); PRAGMA writable_schema = RESET; PRAGMA schema_version = 999"
  }

  static func isForeignSchema(_ error: any Error) -> Bool {
    let text = "another program has changed its tables, indexes, triggers or views"
    return "\(error)".contains(text)
  }

  private func change(_ statement: String) throws {
    try DatabaseQueue(path: folder.database).writeWithoutTransaction { try $0.execute(sql: statement) }
  }

  @Test(arguments: changes)
  func `a foreign object is refused at the next opening and by every open store, and nothing is changed`(
    _ statement: String
  ) throws {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 5))
    let reservation = try store.reserve("card").id
    try change(statement)
    let before = try Data(contentsOf: URL(filePath: folder.database))
    #expect { try SQLiteWalletStore(directory: folder.path) } throws: { Self.isForeignSchema($0) }
    #expect { try store.settle(reservation, spent: [0, 1]) } throws: { Self.isForeignSchema($0) }
    #expect { _ = try store.reserve("card").id } throws: { Self.isForeignSchema($0) }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == before)
  }

  @Test func `a store does not seal an object that was created between its opening and its set-up`() throws {
    let store = try SQLiteWalletStore(directory: folder.path)
    try change("CREATE TRIGGER t AFTER INSERT ON card BEGIN UPDATE card SET threshold = 0; END")
    #expect { try store.opened() } throws: { Self.isForeignSchema($0) }
    #expect(try store.binding() == nil)
  }

  @Test(arguments: ["VACUUM", "REINDEX", "PRAGMA schema_version = 77"])
  func `a store whose file another program only arranged anew opens and pays`(_ statement: String) throws {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 5))
    try change(statement)
    #expect(try store.reserve("card").counters[0] == 1)
    #expect(try SQLiteWalletStore(directory: folder.path).opened().reserve("card").counters[0] == 2)
  }

  @Test func `an index that lacks a row is refused`() throws {
    let store = try SQLiteWalletStore(directory: folder.path).opened()
    try store.add("card", image, keys: TestCard.keys(for: image, uses: 5))
    _ = try store.reserve("card").id
    // Without its index a row is deleted from the table alone.
    try change(
      """
      PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'reservationByCard';
      DELETE FROM sqlite_schema WHERE name = 'reservationByCard'; PRAGMA writable_schema = RESET;
      INSERT INTO reservation (owner, card) VALUES (7, 1);
      PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept; PRAGMA writable_schema = RESET
      """)
    #expect(throws: WalletStoreError.corrupt("its pages are inconsistent")) {
      try SQLiteWalletStore(directory: folder.path)
    }
  }

  @Test func `a trigger in the file of a wallet stops every program, and repeats no counter`() throws {
    let scratch = try Scratch()
    let (wallet, file) = (scratch.path("wallet"), scratch.path("device"))
    try StoredDevice(path: file).apply([.setPasscode, .enrolBiometric])
    let options = ["--wallet", wallet, "--device", file]
    _ = try DeviceChangeProcessTests.run(
      "set-up", options + ["--card", Fixtures.url("Cards/visa-cvn18.json").path, "--uses", "9"])
    #expect(try DeviceChangeProcessTests.run("pay", options) == "paid 1")
    let path = wallet + "/" + SQLiteWalletStore.fileName
    try DatabaseQueue(path: path).write { try $0.execute(sql: Self.trigger) }
    let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    for command in [
      ["wallet-exercise", "pay"], ["tap", "wallet", "list"], ["tap", "present", "--link", "loopback"],
      ["tap", "wallet", "suspend", "card"],
    ] {
      let run = try ProgramRun(programs.appending(path: command[0]).path, command.dropFirst() + options)
      #expect(
        try run.finish(timeout: .seconds(300)) == .exited(command[0] == "tap" ? 2 : 1),
        "\(command): \(run.output)\(run.errors)")
      #expect((run.output + run.errors).contains("tables, indexes, triggers or views"), "\(command): \(run.errors)")
    }
    let state = try DatabaseQueue(path: path).read { database in
      try Row.fetchOne(database, sql: "SELECT policy, floor FROM binding, account")
    }
    #expect(state?["policy"] == "biometricOnly")
    #expect(state?["floor"] == 2)
  }
}

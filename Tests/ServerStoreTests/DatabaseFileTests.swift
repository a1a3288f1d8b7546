import Foundation
import GRDB
@testable import ServerStore
import TestSupport
import Testing

@Suite("A server's database file", .blocks, .timeLimit(.minutes(20)))
struct DatabaseFileTests {
  let scratch: Scratch
  let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.path("access.sqlite")
  }

  /// The code of the error with which an opening fails.
  func refusal(_ path: String, _ schema: AccessSchema = .current) -> AccessStoreError? {
    do throws(AccessStoreError) {
      _ = try SQLiteAccessStore(path: path, schema: schema)
      return nil
    } catch {
      return error
    }
  }

  func execute(_ sql: String) throws {
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  @Test func `every connection has the settings that make a commit durable`() throws {
    for _ in 1...2 { #expect(try SQLiteAccessStore(path: path).durability() == .wanted) }
  }

  @Test func `the files of the database have mode 0600`() async throws {
    let store = try SQLiteAccessStore(path: path)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted()
    #expect(names == ["access.sqlite", "access.sqlite-shm", "access.sqlite-wal"])
    for name in names {
      let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test(arguments: [false, true])
  func `a store whose file was removed or replaced says so at each access`(isReplaced: Bool) async throws {
    let store = try SQLiteAccessStore(path: path)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    try FileManager.default.removeItem(atPath: path)
    if isReplaced { _ = try SQLiteAccessStore(path: path) }
    for _ in 1...2 {
      await #expect(throws: AccessStoreError.self) {
        try await store.maintain(.read) { (store) throws(AccessError) in try store.challenge("c") }
      }
      let error = await #expect(throws: AccessStoreError.self) {
        try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("d")) }
      }
      #expect(error?.code == .unavailable)
      #expect(error?.reason.contains("\(path) was removed or replaced") == true, "\(String(describing: error))")
    }
  }

  @Test(arguments: [(0o600, true), (0o640, true), (0o644, true), (0o660, false), (0o602, false), (0o666, false)])
  func `a file that others may write is refused, with the remedy`(_ mode: Int, _ isAccepted: Bool) throws {
    _ = try SQLiteAccessStore(path: path)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let expected = "\(path) has mode \(String(mode, radix: 8)), so other users can write it: run chmod 600 \(path)"
    #expect(refusal(path)?.reason == (isAccepted ? nil : expected))
  }

  @Test(arguments: ["-wal", "-shm"])
  func `a file beside the database that others may write is refused, with the remedy`(_ suffix: String) throws {
    let store = try SQLiteAccessStore(path: path)
    try withExtendedLifetime(store) {
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path + suffix)
      let file = path + suffix
      #expect(refusal(path)?.reason == "\(file) has mode 666, so other users can write it: run chmod 600 \(file)")
    }
  }

  @Test(arguments: [
    (0o700, true), (0o755, true), (0o1777, true), (0o775, false), (0o757, false), (0o777, false),
  ])
  func `a folder that others may write is refused, with the remedy`(_ mode: Int, _ isAccepted: Bool) throws {
    let folder = scratch.path("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
    let name = folder + "/"
    let expected = "\(name) has mode \(String(mode, radix: 8)), so other users can write it: run chmod go-w \(name)"
    for _ in 1...2 { #expect(refusal(name + "access.sqlite")?.reason == (isAccepted ? nil : expected)) }
  }

  @Test func `records are there when the file is opened again, by another store at the same time too`() async throws {
    let first = try SQLiteAccessStore(path: path)
    try await first.save { (store) throws(AccessError) in try store.save(Sample.operation("s")) }
    let second = try SQLiteAccessStore(path: path)
    #expect(
      try await second.read { (store) throws(AccessError) in try store.operation("s") } == Sample.operation("s"))
  }

  @Test func `of two stores on one file, one uses a challenge`() async throws {
    let stores = try [SQLiteAccessStore(path: path), SQLiteAccessStore(path: path)]
    for round in 0..<20 {
      try await stores[0].save { (store) throws(AccessError) in try store.save(Sample.challenge("c\(round)")) }
      let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
        for store in stores {
          group.addTask {
            try await store.write { (store) throws(AccessError) in
              guard try store.challenge("c\(round)") != nil else { return false }
              try store.remove(ChallengeRecord.self, "c\(round)")
              return true
            }
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
    }
  }

  @Test func `a file of an older version is upgraded and keeps its records`() async throws {
    let first = try SQLiteAccessStore(path: path)
    try await first.save { (store) throws(AccessError) in try store.save(Sample.operation("s")) }
    let newer = AccessSchema(steps: AccessSchema.current.steps + ["ALTER TABLE operation ADD COLUMN further TEXT"])
    for _ in 1...2 {
      let store = try SQLiteAccessStore(path: path, schema: newer)
      #expect(
        try await store.read { (store) throws(AccessError) in try store.operation("s")?.state } == "succeeded")
    }
    let refused = refusal(path)
    #expect(refused?.code == .newerVersion)
    #expect(
      refused?.reason.contains("version \(newer.version), and this program supports at most \(newer.version - 1)")
        == true)
  }

  @Test func `an upgrade that fails changes nothing`() throws {
    _ = try SQLiteAccessStore(path: path)
    let broken = AccessSchema(steps: AccessSchema.current.steps + ["DROP TABLE operation; SELECT * FROM missing"])
    #expect(refusal(path, broken)?.code == .damaged)
    #expect(refusal(path) == nil)
  }

  @Test func `a file of a newer version is refused and not changed`() throws {
    _ = try SQLiteAccessStore(path: path)
    try execute("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(refusal(path)?.code == .newerVersion)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: [
    "CREATE TABLE foreign_table (x); PRAGMA user_version = 1",
    "PRAGMA application_id = 1129597011; PRAGMA user_version = 1", "PRAGMA user_version = 1",
  ])
  func `a database of another program is refused and not changed`(_ sql: String) throws {
    try execute(sql)
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(refusal(path)?.code == .damaged)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON challenge BEGIN DELETE FROM device; END", "CREATE VIEW v AS SELECT * FROM device",
    "CREATE INDEX i ON device (id)", "CREATE TABLE further (x)", "ALTER TABLE operation ADD COLUMN further TEXT",
    """
    PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'device';
    PRAGMA writable_schema = RESET
    """,
  ])
  func `a file with a foreign trigger, view, index, table or column is refused and not changed`(_ sql: String) throws {
    _ = try SQLiteAccessStore(path: path)
    try execute(sql)
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(refusal(path)?.code == .damaged)
    #expect(refusal(path)?.reason.contains("tables, indexes, triggers or views") == true)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func `a trigger that is created while the file is open does not run`() async throws {
    let store = try SQLiteAccessStore(path: path)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.operation("s")) }
    try execute("CREATE TRIGGER t AFTER INSERT ON challenge BEGIN DELETE FROM operation; END")
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    #expect(
      try await store.read { (store) throws(AccessError) in try store.operation("s") } == Sample.operation("s"))
  }

  @Test func `a file that is no database is refused and not changed`() throws {
    _ = try scratch.write("access.sqlite", String(repeating: "not a database ", count: 500))
    #expect(refusal(path)?.code == .damaged)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("not a database"))
  }

  @Test func `a missing directory and a directory in place of the file are refused with their path`() {
    let missing = scratch.path("missing/access.sqlite")
    #expect(refusal(missing)?.code == .unavailable)
    #expect(refusal(missing)?.reason.contains(missing) == true)
    #expect(refusal(scratch.directory.path)?.code == .unavailable)
  }

  @Test func `tables of another form are damage`() async throws {
    let store = try SQLiteAccessStore(path: path)
    try execute("ALTER TABLE challenge RENAME TO other")
    await #expect {
      try await store.maintain(.read) { (store) throws(AccessError) in try store.challenge("c") }
    } throws: { ($0 as? AccessStoreError)?.code == .damaged }
  }

  @Test(arguments: ["x'00'", "zeroblob(33)"])
  func `a value of another form is damage`(_ digest: String) async throws {
    let store = try SQLiteAccessStore(path: path)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    try execute("UPDATE challenge SET registrationToken = \(digest)")
    await #expect {
      try await store.maintain(.read) { (store) throws(AccessError) in try store.challenge("c") }
    } throws: { ($0 as? AccessStoreError)?.code == .damaged }
  }

  @Test func `pages that were overwritten are damage and never trap`() async throws {
    let store = try SQLiteAccessStore(path: path)
    for index in 0..<50 {
      try await store.save { (store) throws(AccessError) in try store.save(Sample.device("d\(index)")) }
    }
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var octets = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for index in 4_096..<octets.count { octets[index] = UInt8(truncatingIfNeeded: index &* 31) }
    let copy = scratch.path("copy.sqlite")
    try Data(octets).write(to: URL(filePath: copy))
    await #expect {
      let damaged = try SQLiteAccessStore(path: copy)
      _ = try await damaged.maintain(.read) { (store) throws(AccessError) in try store.devices(after: nil, limit: 100) }
    } throws: { ($0 as? AccessStoreError)?.code == .damaged }
  }
}

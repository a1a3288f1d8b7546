import Foundation
import GRDB
import Octets
@testable import ServerStore
import TestSupport
import Testing

@Suite("A server's database whose disk or lock fails", .blocks, .serialized, .timeLimit(.minutes(20)))
struct DatabaseFaultTests {
  /// Saves challenges until one cannot be saved. Returns how many were saved and the error.
  func fill(_ store: SQLiteAccessStore) async -> (count: Int, error: AccessStoreError?) {
    for count in 0..<10_000 {
      do throws(AccessStoreError) {
        try await store.maintain { (store) throws(AccessError) in
          try store.save(Sample.challenge("first \(count)"))
          try store.save(Sample.challenge("second \(count)"))
        }
      } catch {
        return (count, error)
      }
    }
    return (10_000, nil)
  }

  func challenges(_ store: SQLiteAccessStore, upTo count: Int) async throws -> [Bool] {
    try await store.read { (store) throws(AccessError) in
      var found: [Bool] = []
      for index in 0...count {
        found.append(try store.challenge("first \(index)") != nil)
        found.append(try store.challenge("second \(index)") != nil)
      }
      return found
    }
  }

  @Test func `a database that has reached its largest size refuses a transaction and keeps all before it`() async throws
  {
    let scratch = try Scratch()
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), schema: .current, maximumPages: 160)
    let (count, error) = await fill(store)
    #expect(error?.code == .full)
    #expect(count > 0)
    #expect(
      try await challenges(store, upTo: count) == Array(repeating: true, count: count * 2) + [false, false])
  }

  @Test func `a backup of a damaged database names the database and not the copy`() throws {
    let scratch = try Scratch()
    let path = scratch.path("access.sqlite")
    _ = try SQLiteAccessStore(path: path)
    let queue = try DatabaseQueue(path: path)
    let (root, size) = try queue.read { database in
      (
        try #require(try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'setting'")),
        try #require(try Int.fetchOne(database, sql: "PRAGMA page_size"))
      )
    }
    try queue.close()
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64((root - 1) * size))
    try file.write(contentsOf: Data(repeating: 0xFF, count: size))
    try file.close()
    let error = #expect(throws: AccessStoreError.self) {
      try DatabaseBackup.copy(file: path, to: scratch.path("copy"), at: WallTime(seconds: 1))
    }
    #expect(error?.code == .damaged && error?.reason.hasPrefix(path) == true, "\(error?.reason ?? "")")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("copy")))
  }

  @Test func `a full disk refuses a transaction, and with space again it is made`() async throws {
    let disk = try MountedDisk(kilobytes: 2_048)
    let path = disk.path + "/access.sqlite"
    let store = try SQLiteAccessStore(path: path)
    let filler = try disk.fill()
    let (count, error) = await fill(store)
    #expect(error?.code == .full)
    #expect(error?.reason.contains(path) == true)
    try FileManager.default.removeItem(atPath: filler)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("later")) }
    let again = try SQLiteAccessStore(path: path)
    #expect(try await challenges(again, upTo: count).suffix(2) == [false, false])
    #expect(try await again.read { (store) throws(AccessError) in try store.challenge("later") } != nil)
  }

  @Test func `a read-only disk is refused, with or without a database on it`() async throws {
    for hasDatabase in [true, false] {
      let disk = try MountedDisk(kilobytes: 2_048)
      let path = disk.path + "/access.sqlite"
      if hasDatabase { _ = try SQLiteAccessStore(path: path) }
      try disk.makeReadOnly()
      #expect {
        _ = try SQLiteAccessStore(path: path)
      } throws: { ($0 as? AccessStoreError)?.code == .unavailable }
    }
  }

  @Test func `a lock of another process for more than five seconds is refused, and a shorter one is awaited`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("access.sqlite")
    let store = try SQLiteAccessStore(path: path)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
    await #expect {
      try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    } throws: {
      guard let error = $0 as? AccessStoreError else { return false }
      return error.code == .unavailable && error.reason.contains("locked it for more than 5 s")
    }
    // A reader does not wait.
    #expect(try await store.read { (store) throws(AccessError) in try store.challenge("c") } == nil)
    async let saved: Void = store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    try await other.writeWithoutTransaction { try $0.rollback() }
    try await saved
    #expect(try await store.read { (store) throws(AccessError) in try store.challenge("c") } != nil)
  }
}

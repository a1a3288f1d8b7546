import AccessMessages
import Dispatch
import Foundation
import JSON
@testable import ServerShell
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

@Suite("Writes that share a transaction of a server's database file", .blocks, .timeLimit(.minutes(20)))
struct SharedWriteTests {
  /// The commits of a store. The first one that is held blocks the store until it is released.
  private final class Commits: Sendable {
    private let counts = Mutex<[Int]>([])
    private let gate = DispatchSemaphore(value: 0)
    private let holdsNext = Atomic(false)

    var writes: [Int] { counts.withLock { $0 } }

    /// Holds the store after its next commit.
    func hold() {
      counts.withLock { $0 = [] }
      holdsNext.store(true, ordering: .sequentiallyConsistent)
    }

    func release() { gate.signal() }

    func awaitHeld() async { while writes.isEmpty { await Task.yield() } }

    var observation: StoreObservation {
      var observation = StoreObservation()
      observation.committed = { [self] writes, _ in
        counts.withLock { $0.append(writes) }
        if holdsNext.exchange(false, ordering: .sequentiallyConsistent) { gate.wait() }
      }
      return observation
    }
  }

  private static let clients = 64

  /// Runs a task for each number while the store is held after a flush, and releases the store when all of them wait for it, in
  /// the order of their numbers.
  private static func queue(
    _ store: SQLiteAccessStore, _ commits: Commits, _ count: Int, _ task: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    commits.hold()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("held")) }
      }
      await commits.awaitHeld()
      for number in 0..<count {
        group.addTask { try await task(number) }
        while store.waitingWrites <= number { await Task.yield() }
      }
      commits.release()
      try await group.waitForAll()
    }
  }

  @Test func `sixty-four requests that arrive during a flush need at most two commits`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), observation: commits.observation)
    let service = try await AccessService(
      store: store, configuration: ServerConfiguration(facets: .any, openRegistration: true),
      url: ServerURL("https://server.test"), operatorToken: nil)
    try await Self.queue(store, commits, Self.clients) { number in
      let request: JSONValue = ["op": "Reg", "context": JSONValue("{\"username\":\"user \(number)\"}")]
      let response = await service.respond(
        to: AccessRequest(
          "POST", AccessPath.registrationRequest, headers: [(name: "content-type", value: MediaType.uaf)],
          body: Array(request.compact.utf8), address: "192.0.2.1"))
      #expect(response.status == 200)
    }
    // The first commit is the one that was held.
    #expect(commits.writes.count <= 3 && commits.writes.reduce(0, +) == Self.clients + 1, "\(commits.writes)")
  }

  @Test func `a limit of one write gives each write a commit`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(
      path: scratch.path("access.sqlite"), sharedWrites: 1, observation: commits.observation)
    try await Self.queue(store, commits, 5) { number in
      try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("\(number)")) }
    }
    #expect(commits.writes == [1, 1, 1, 1, 1, 1])
  }

  @Test func `a body that throws among others changes nothing, and the others are kept`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), observation: commits.observation)
    let failure = AccessStoreError(.ruleFailed, "thrown by the test")
    try await Self.queue(store, commits, 9) { number in
      do {
        try await store.save { (store) throws(AccessError) in
          try store.save(Sample.challenge("\(number)"))
          if number == 4 { throw .store(failure) }
        }
        #expect(number != 4)
      } catch {
        #expect(number == 4 && error as? AccessStoreError == failure)
      }
    }
    #expect(commits.writes == [1, 9])
    #expect(try await Self.kept(in: store) { "\($0)" } == [0, 1, 2, 3, 5, 6, 7, 8])
  }

  @Test func `after a transaction that is lost each body runs again alone, once`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(
      path: scratch.path("access.sqlite"), schema: .current, maximumPages: 200, observation: commits.observation)
    let runs = (0..<9).map { _ in RunCount() }
    let codes = Mutex<[Int: AccessStoreError.Code]>([:])
    try await Self.queue(store, commits, 9) { number in
      do {
        try await store.save { (store) throws(AccessError) in
          _ = runs[number].next()
          // The fifth body does not fit into the file, so SQLite rolls the transaction of all back.
          for index in 0..<(number == 4 ? 5_000 : 1) { try store.save(Sample.challenge("\(number) \(index)")) }
        }
      } catch {
        codes.withLock { $0[number] = (error as? AccessStoreError)?.code }
      }
    }
    #expect(codes.withLock { $0 } == [4: .full])
    #expect(runs.map { $0.next() - 1 } == [2, 2, 2, 2, 2, 1, 1, 1, 1])
    #expect(commits.writes == [Int](repeating: 1, count: 9))
    #expect(try await Self.kept(in: store) { "\($0) 0" } == [0, 1, 2, 3, 5, 6, 7, 8])
  }

  @Test func `a body for which memory is too small changes nothing, and the others are kept`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let commits = Commits()
      let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), observation: commits.observation)
      // The limit is one of the process, so this test has one of its own.
      try await store.maintain { (store) throws(AccessError) in
        _ = try AccessError.typed { try store.connection.rows("PRAGMA hard_heap_limit = 16777216", []) }
      }
      let codes = Mutex<[Int: AccessStoreError.Code]>([:])
      try await Self.queue(store, commits, 9) { number in
        do {
          try await store.save { (store) throws(AccessError) in
            try store.save(Sample.challenge("\(number)"))
            guard number == 4 else { return }
            _ = try AccessError.typed { try store.connection.rows("SELECT hex(zeroblob(100000000)) AS text", []) }
          }
        } catch {
          codes.withLock { $0[number] = (error as? AccessStoreError)?.code }
        }
      }
      let (kept, failed) = (try await Self.kept(in: store) { "\($0)" }, codes.withLock { $0 })
      try #require(failed == [4: .unavailable] && kept == [0, 1, 2, 3, 5, 6, 7, 8], "\(failed) \(kept)")
    }
  }

  /// Which of nine writes have left their challenge.
  private static func kept(
    in store: SQLiteAccessStore, _ name: @escaping @Sendable (Int) -> String
  ) async throws -> [Int] {
    try await store.read { (store) throws(AccessError) in
      var kept: [Int] = []
      for number in 0..<9 where try store.challenge(name(number)) != nil { kept.append(number) }
      return kept
    }
  }

  @Test func `after a COMMIT that fails each body runs again alone, once`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), observation: commits.observation)
    let runs = (0..<9).map { _ in RunCount() }
    let codes = Mutex<[Int: AccessStoreError.Code]>([:])
    try await Self.queue(store, commits, 9) { number in
      do {
        try await store.save { (store) throws(AccessError) in
          _ = runs[number].next()
          try store.save(Sample.challenge("\(number)"))
          guard number == 4 else { return }
          // SQLite looks for the wallet at the COMMIT of all.
          _ = try AccessError.typed { try store.connection.change("PRAGMA defer_foreign_keys = ON", []) }
          try store.save(
            WalletDeviceRecord(
              deviceID: "d", wallet: "missing", name: "Phone", signatureKey: "{}", encryptionKey: "{}", createdAt: 1))
        }
      } catch {
        codes.withLock { $0[number] = (error as? AccessStoreError)?.code }
      }
    }
    #expect(codes.withLock { $0 } == [4: .damaged])
    #expect(runs.map(\.value) == [Int](repeating: 2, count: 9))
    #expect(commits.writes == [Int](repeating: 1, count: 9))
    #expect(try await Self.kept(in: store) { "\($0)" } == [0, 1, 2, 3, 5, 6, 7, 8])
  }

  @Test func `expired records are removed in transactions of at most a thousand`() async throws {
    let scratch = try Scratch()
    let commits = Commits()
    let store = try SQLiteAccessStore(path: scratch.path("access.sqlite"), observation: commits.observation)
    let service = try await AccessService(
      store: store, configuration: ServerConfiguration(facets: .any, openRegistration: true),
      url: ServerURL("https://server.test"), operatorToken: nil)
    try await store.save { (store) throws(AccessError) in
      for number in 0..<1_500 { try store.save(Sample.challenge("\(number)", expiresAt: 1)) }
      for number in 0..<700 { try store.save(Sample.operation("\(number)", expiresAt: 1)) }
    }
    let before = commits.writes.count
    #expect(try await service.removeExpired() == 2_200)
    #expect(commits.writes.count - before == 3)
  }
}

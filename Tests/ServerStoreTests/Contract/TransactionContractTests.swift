import AccessMessages
import Documents
import FIDOUAF
@testable import ServerStore
import TestSupport
import Testing

/// The contract of `AccessStore`, for every implementation: transactions.
@Suite("The contract of a server's store: transactions", .blocks, .timeLimit(.minutes(20)))
struct TransactionContractTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: StoreKind.allCases)
  func `a body that throws changes nothing, and its error is thrown`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let failure = AccessError.damaged("thrown by the test")
    await #expect(throws: failure) {
      try await store.write { (store) throws(AccessError) in
        try store.save(Sample.challenge("c"))
        throw failure
      }
    }
    await #expect(throws: failure) { try await store.read { (_) throws(AccessError) in throw failure } }
    #expect(try await store.read { (store) throws(AccessError) in try store.challenge("c") } == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a refusal keeps what the body has written, and is thrown`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let refusal = AccessError.refused(.forbidden, "thrown by the test")
    await #expect(throws: refusal) {
      try await store.write { (store) throws(AccessError) in
        try store.save(Sample.challenge("c"))
        throw refusal
      }
    }
    await #expect(throws: refusal) { try await store.read { (_) throws(AccessError) in throw refusal } }
    #expect(try await store.read { (store) throws(AccessError) in try store.challenge("c") } != nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a body reads what it has written`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let found = try await store.write { (store) throws(AccessError) in
      try store.save(Sample.challenge("c"))
      return try store.challenge("c")
    }
    #expect(found == Sample.challenge("c"))
  }

  @Test(arguments: StoreKind.allCases)
  func `of a hundred requests at a time, one uses a challenge`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
    let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await store.write { (store) throws(AccessError) in
            guard try store.challenge("c") != nil else { return false }
            try store.remove(ChallengeRecord.self, "c")
            return true
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a transaction of a task that was cancelled is finished`(_ kind: StoreKind) async throws {
    let store = try kind.store(in: scratch)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.save { (store) throws(AccessError) in try store.save(Sample.challenge("c")) }
      return try await store.read { (store) throws(AccessError) in try store.challenge("c") }
    }
    #expect(try await task.value == Sample.challenge("c"))
  }
}

import Dispatch
import Octets
@testable import ServerShell
@testable import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

@Suite("Whether a server is ready", .blocks, .timeLimit(.minutes(20)))
struct HealthTests {
  @Test func `a server is ready while it serves and its database answers`() async throws {
    let server = try await TestServer()
    let observation = ServerObservation()
    let health = ServerHealth(server.service, observation)
    #expect(await health.problems().map(\.reason) == ["the server does not listen yet"])
    observation.readiness.set(.serving)
    #expect(await health.problems() == [])
    observation.drains(for: 8)
    #expect(await health.problems().map(\.reason) == ["the server ends"])
  }

  @Test func `a server whose database fails is not ready, and says why`() async throws {
    let server = try await TestServer()
    let store = FailingStore(base: server.store)
    let failing = try await server.serving(store)
    store.stop()
    let observation = ServerObservation()
    observation.readiness.set(.serving)
    let problem = ServerHealth.Problem(part: "database", reason: "the test has stopped the store")
    #expect(await ServerHealth(failing.service, observation).problems() == [problem])
  }

  @Test func `a server whose database answers but cannot be written is not ready`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("access.sqlite")
    let server = try await TestServer(store: SQLiteAccessStore(path: path))
    let observation = ServerObservation()
    observation.readiness.set(.serving)
    let health = ServerHealth(server.service, observation, limit: .seconds(1))
    // A transaction of another connection keeps the lock of the writer.
    let (begun, ends) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let other = try SQLiteAccessStore(path: path)
    let holding = Task {
      try await other.write { store throws(AccessError) in
        try store.set("held", to: [1])
        begun.continuation.yield()
        ends.wait()
      }
    }
    for await _ in begun.stream { break }
    // On a busy machine the store gives up, after 5 s, before the limit of 1 s is noticed.
    let reasons = await health.problems().map(\.reason)
    #expect(reasons == ["no answer within 1.0 s"] || reasons.first?.contains("has locked it") == true, "\(reasons)")
    _ = try await server.store.read { store throws(AccessError) in try store.setting("walletKey") }
    ends.signal()
    try await holding.value
    while await !health.problems().isEmpty {}
  }

  @Test func `a server that refuses every request is not ready`() async throws {
    let server = try await TestServer()
    let isRefusing = Mutex(true)
    let observation = ServerObservation().refusing { isRefusing.withLock { $0 } }
    observation.readiness.set(.serving)
    let health = ServerHealth(server.service, observation)
    #expect(
      await health.problems().map(\.reason) == ["the server refuses every request: its log has the reason"])
    isRefusing.withLock { $0 = false }
    #expect(await health.problems() == [])
  }

  @Test func `the database answers readiness at most once a second, and the metrics once in ten`() async throws {
    let server = try await TestServer()
    let store = FailingStore(base: server.store)
    let failing = try await server.serving(store)
    let observation = ServerObservation()
    observation.readiness.set(.serving)
    let clock = ManualClock()
    let health = ServerHealth(failing.service, observation, clock: clock)
    #expect(await health.problems() == [])
    store.stop()
    clock.advance(by: .milliseconds(999))
    #expect(await health.problems() == [])
    clock.advance(by: .milliseconds(1))
    #expect(await health.problems(reusing: ServerHealth.metricsAge) == [])
    #expect(await health.problems().map(\.part) == ["database"])
  }

  @Test func `callers of a check that does not end share it, and wait for its limit`() async {
    let runs = Mutex(0)
    let ends = AsyncStream<Void>.makeStream()
    let check = BoundedCheck(limit: .milliseconds(20)) {
      runs.withLock { $0 += 1 }
      for await _ in ends.stream { break }
      return 7
    }
    for _ in 0..<5 { #expect(await check.outcome() == nil) }
    #expect(runs.withLock { $0 } == 1)
    ends.continuation.yield()
    // The next outcome is that of the run which ends now, or of a second one.
    ends.continuation.yield()
    var last: Int?
    while last == nil { last = await check.outcome() }
    #expect(last == 7)
  }
}

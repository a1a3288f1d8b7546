import Foundation
public import Testing

/// The tests of a suite block their threads, so they get threads of their own. All tasks of a program share as many
/// threads as there are processors, and a session that waits for one of them is late.
public struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
  /// Also for the suites in the suite.
  public let isRecursive = true

  /// Runs a test away from the shared threads. What it starts with `Task { … }` runs on those again.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(BlockingExecutor.standard) { try await function() }
  }
}

extension Trait where Self == BlockingTests {
  /// For suites whose tests wait for programs, readers and threads.
  public static var blocks: Self { BlockingTests() }
}

/// As many threads as keep a small machine busy with tests that wait, and no more: each may run programs.
private final class BlockingExecutor: TaskExecutor {
  static let standard = BlockingExecutor()

  private let queue = OperationQueue()

  private init() { queue.maxConcurrentOperationCount = 4 }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

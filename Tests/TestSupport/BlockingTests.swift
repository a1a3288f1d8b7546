import Foundation
public import Testing

/// Runs the tests of a suite on threads of their own, since they block their threads. All tasks of a program share as
/// many threads as there are processors, and a session whose task waits for one of them is late.
public struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
  /// True: the trait applies to nested suites too.
  public let isRecursive = true

  /// Runs a test away from the shared threads. A task that the test starts with `Task { … }` runs on the shared
  /// threads.
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

/// Eight threads keep a small machine busy with tests that wait, and each test may run programs.
private final class BlockingExecutor: TaskExecutor {
  static let standard = BlockingExecutor()

  private let queue = OperationQueue()

  private init() { queue.maxConcurrentOperationCount = 8 }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

internal import Dispatch

/// Runs the calls of one wallet's store one after the other, on a queue of its own.
///
/// A store may block for long, as when another process has locked it. Its thread is not one of the cooperative pool, so
/// that tasks that need no store go on meanwhile.
final class StoreExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "contactless.wallet-store")

  /// Runs a job of the actor after everything that was enqueued before.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure owns the executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Runs work after everything that was enqueued before, and returns at once.
  func submit(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

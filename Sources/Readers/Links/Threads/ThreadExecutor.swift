/// Runs tasks on one thread of its own, one job after the other, for work whose steps are short and that would otherwise
/// change threads between them.
///
/// Tasks that prefer it run their nonisolated parts, and the calls of actors without an executor of their own, on its
/// thread. A job may block: no thread of the cooperative pool waits then, but neither does any other job of this executor
/// run. The thread ends when the executor was released by its owners and its tasks.
package final class ThreadExecutor: TaskExecutor {
  private struct Queue: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  // A job keeps the executor, which its thread does not.
  private struct Job: Sendable {
    let job: UnownedJob
    let executor: ThreadExecutor
  }

  private let queue: WaitableState<Queue>

  /// Starts the thread. Traps when the system has no more threads.
  ///
  /// - Parameter name: Shown by debuggers and `ps -L`; the system keeps 15 characters.
  package init(named name: String) {
    let queue = WaitableState(Queue())
    self.queue = queue
    _ = DedicatedThread(named: name) {
      while let jobs = Self.nextJobs(of: queue) {
        for next in jobs { unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor()) }
      }
    }
  }

  deinit { queue.update { $0.isClosed = true } }

  /// Runs a job after those that were enqueued before.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.update { $0.jobs.append(Job(job: job, executor: self)) }
  }

  /// Blocks until there are jobs; nil when the executor was released.
  private static func nextJobs(of queue: WaitableState<Queue>) -> [Job]? {
    let jobs = queue.wait { queue -> [Job]? in
      guard queue.jobs.isEmpty else { return exchange(&queue.jobs, with: []) }
      return queue.isClosed ? [] : nil
    }
    return jobs.flatMap { $0.isEmpty ? nil : $0 }
  }
}

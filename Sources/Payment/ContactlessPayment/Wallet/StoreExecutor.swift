internal import Dispatch

/// Where the calls of one wallet's store run, one after the other.
enum StoreExecutor: Sendable {
  /// On a queue of their own, whose thread is not one of the cooperative pool: tasks that need no store go on while a
  /// call blocks, as when another process has locked the store.
  case queue(StoreQueue)
  /// On the cooperative pool, for a store whose calls return at once: no call changes the thread.
  case pool(StorePool)

  init(mayBlock: Bool) { self = mayBlock ? .queue(StoreQueue()) : .pool(StorePool()) }

  var unowned: UnownedSerialExecutor {
    switch self {
    case .queue(let queue): unsafe queue.asUnownedSerialExecutor()
    case .pool(let pool): unsafe pool.unownedExecutor
    }
  }

  /// Performs work on the store after everything that was enqueued before, without waiting for a store that may block.
  func perform(_ work: @escaping @Sendable () -> Void) {
    switch self {
    case .queue(let queue): queue.submit(work)
    // Every earlier call has returned: it did not wait.
    case .pool: work()
    }
  }
}

/// An executor with the default behaviour of an actor, which the wallet uses as its own.
actor StorePool {}

/// An executor on a dispatch queue.
final class StoreQueue: SerialExecutor {
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

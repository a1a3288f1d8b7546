internal import Foundation
internal import Octets

/// A thread for one piece of blocking work, so that channels and links never block the cooperative pool.
///
/// Blocking code waits with `join()`, asynchronous code awaits `value()`. Neither interrupts the work: to end it, stop
/// the link or the monitor that it waits for.
public final class DedicatedThread<Success: Sendable, Failure: Error>: Sendable {
  private enum State: Sendable {
    case running([CheckedContinuation<Result<Success, Failure>, Never>])
    case finished(Result<Success, Failure>)

    var result: Result<Success, Failure>? {
      if case .finished(let result) = self { result } else { nil }
    }
  }

  private let state = WaitableState(State.running([]))

  /// Starts the work at once. Traps when the system has no more threads.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers and `ps -L`; the system keeps 15 characters.
  ///   - work: Runs on the new thread, which ends when the work returns.
  public init(named name: String, _ work: @escaping @Sendable () throws(Failure) -> Success) {
    let isStarted = startDetachedThread {
      // A thread that Foundation starts cannot set its own name before its start has returned, which would cost two more
      // changes of threads.
      Thread.current.name = name
      self.finish(Result(catching: work))
    }
    precondition(isStarted, "the system has no thread for \"\(name)\"")
  }

  private func finish(_ result: Result<Success, Failure>) {
    let continuations = state.update { state -> [CheckedContinuation<Result<Success, Failure>, Never>] in
      defer { state = .finished(result) }
      return if case .running(let continuations) = state { continuations } else { [] }
    }
    for continuation in continuations { continuation.resume(returning: result) }
  }

  /// The result, or nil while the work goes on.
  public var result: Result<Success, Failure>? { state.read(\.result) }

  /// Blocks until the work has ended.
  ///
  /// - Throws: What the work threw.
  public func join() throws(Failure) -> Success {
    while true {
      if let result = state.wait(until: { $0.result }) { return try result.get() }
    }
  }

  /// Blocks until the work has ended or the time is up.
  ///
  /// - Returns: nil when the time is up; the work goes on.
  /// - Throws: What the work threw.
  public func join(timeout: Duration) throws(Failure) -> Success? {
    try state.wait(for: timeout) { $0.result }?.get()
  }

  /// Suspends until the work has ended. Cancelling the task that awaits does not end the work.
  ///
  /// - Throws: What the work threw.
  public func value() async throws(Failure) -> Success {
    let result = await withCheckedContinuation { continuation in
      let known = state.update { state -> Result<Success, Failure>? in
        switch state {
        case .finished(let result): return result
        case .running(let continuations):
          state = .running(continuations + [continuation])
          return nil
        }
      }
      if let known { continuation.resume(returning: known) }
    }
    return try result.get()
  }

  /// Suspends until the work has ended, and stops the link that the work serves after a time.
  ///
  /// - Throws: What the work threw.
  public func value(stopping link: any EmulationLink, after limit: Duration) async throws(Failure) -> Success {
    let timer = Task {
      try await Task.sleep(for: limit)
      link.stop()
    }
    defer { timer.cancel() }
    return try await value()
  }
}

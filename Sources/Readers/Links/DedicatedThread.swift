package import Dispatch
internal import Foundation
internal import Octets
internal import Synchronization

/// One blocking piece of work on a thread of its own, so that channels and links never sit on the cooperative pool.
///
/// Blocking code waits with `join()`, asynchronous code awaits `value()`. Nothing here interrupts the work: stop the
/// link or the monitor that it waits on.
public final class DedicatedThread<Success: Sendable, Failure: Error>: Sendable {
  private enum State {
    case running([CheckedContinuation<Result<Success, Failure>, Never>])
    case finished(Result<Success, Failure>)
  }

  private let state = Mutex(State.running([]))
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the work at once.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers and `ps -L`; the system keeps 15 characters.
  ///   - work: Runs on the new thread, which ends with it.
  public init(named name: String, _ work: @escaping @Sendable () throws(Failure) -> Success) {
    let noted = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Only a running thread can name itself, and only once its creator has noted which it is.
      noted.wait()
      Thread.current.name = name
      self.finish(Self.outcome(of: work))
    }
    noted.signal()
  }

  private static func outcome(of work: () throws(Failure) -> Success) -> Result<Success, Failure> {
    do throws(Failure) {
      return .success(try work())
    } catch {
      return .failure(error)
    }
  }

  private func finish(_ result: Result<Success, Failure>) {
    let waiting = state.withLock { state in
      defer { state = .finished(result) }
      if case .running(let waiting) = state { return waiting }
      return []
    }
    ended.signal()
    for continuation in waiting { continuation.resume(returning: result) }
  }

  /// The result so far: nil while the work goes on.
  public var result: Result<Success, Failure>? {
    state.withLock { state in
      if case .finished(let result) = state { return result }
      return nil
    }
  }

  /// Blocks until the work has ended.
  ///
  /// - Throws: What the work threw.
  public func join() throws(Failure) -> Success {
    while true {
      if let result { return try result.get() }
      ended.wait()
      // The next one who waits needs the signal as well.
      ended.signal()
    }
  }

  /// Blocks until the work has ended, at most for a while.
  ///
  /// - Returns: nil when the time is up; the work goes on, abandoned or not.
  /// - Throws: What the work threw.
  public func join(timeout: Duration) throws(Failure) -> Success? {
    if result == nil, ended.wait(timeout: DispatchTime(after: timeout)) == .success { ended.signal() }
    guard let result else { return nil }
    return try result.get()
  }

  /// Suspends until the work has ended. Cancelling the task that awaits does not end the work.
  ///
  /// - Throws: What the work threw.
  public func value() async throws(Failure) -> Success {
    let result = await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Result<Success, Failure>? in
        switch state {
        case .finished(let result): return result
        case .running(let waiting):
          state = .running(waiting + [continuation])
          return nil
        }
      }
      if let known { continuation.resume(returning: known) }
    }
    return try result.get()
  }
}

extension DispatchTime {
  /// The point in time after a duration; negative ones are now, ones beyond 292 years saturate.
  package init(after duration: Duration) {
    let (end, overflow) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(
      UInt64(max(duration.nanoseconds, 0)))
    self.init(uptimeNanoseconds: overflow ? .max : end)
  }
}

internal import DeviceAuthentication
internal import Octets
internal import Synchronization

/// Runs a call that blocks on a thread of its own, so that no thread of the cooperative pool waits.
///
/// The call cannot be interrupted. After the limit the caller goes on, the thread stays until the call returns, and its
/// result is dropped.
///
/// - Parameters:
///   - name: What the call waits for, in the sentence of an error.
///   - limit: How long to wait; nil is without a limit.
///   - clock: Measures the limit.
/// - Throws: What the call throws; `.unavailable` when the system has no thread, or the limit has passed.
func onOwnThread<Value: Sendable>(
  waitingFor name: String, within limit: Duration?, by clock: any MonotonicClock,
  _ call: @escaping @Sendable () throws(DeviceAuthenticationError) -> Value
) async throws(DeviceAuthenticationError) -> Value {
  let watch = CallWatch(clock)
  if let limit { watch.expect(name, within: limit) }
  return try await onOwnThread(waitingFor: name, watch, call)
}

/// Runs a call of several steps on a thread of its own. The watch has the limit of each step.
func onOwnThread<Value: Sendable>(
  waitingFor name: String, _ watch: CallWatch,
  _ call: @escaping @Sendable () throws(DeviceAuthenticationError) -> Value
) async throws(DeviceAuthenticationError) -> Value {
  let first = FirstResult<Value>()
  watch.onExpiry { first.complete(.failure($0)) }
  defer { watch.end() }
  let isStarted = startDetachedThread {
    do throws(DeviceAuthenticationError) {
      first.complete(.success(try call()))
    } catch {
      first.complete(.failure(error))
    }
  }
  if !isStarted { first.complete(.failure(.unavailable(reason: "the system has no thread for \(name)"))) }
  return try await first.value().get()
}

/// The first of several results. Later ones are dropped.
private final class FirstResult<Value: Sendable>: Sendable {
  private typealias Outcome = Result<Value, DeviceAuthenticationError>

  private enum State {
    case empty
    case awaited(CheckedContinuation<Outcome, Never>)
    case complete(Outcome)
  }

  private let state = Mutex(State.empty)

  func complete(_ outcome: Result<Value, DeviceAuthenticationError>) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      switch state {
      case .complete: return nil
      case .empty:
        state = .complete(outcome)
        return nil
      case .awaited(let waiter):
        state = .complete(outcome)
        return waiter
      }
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the result. Called once.
  func value() async -> Result<Value, DeviceAuthenticationError> {
    await withCheckedContinuation { waiter in
      let known = state.withLock { state -> Outcome? in
        if case .complete(let outcome) = state { return outcome }
        state = .awaited(waiter)
        return nil
      }
      if let known { waiter.resume(returning: known) }
    }
  }
}

internal import DeviceAuthentication
internal import Octets
internal import Synchronization

/// The time limit of the present step of a call that blocks on a thread of its own. Each step replaces that before it.
final class CallWatch: Sendable {
  private struct State {
    var step = 0
    var timer: Task<Void, Never>?
    var expired: DeviceAuthenticationError?
    var action: (@Sendable (DeviceAuthenticationError) -> Void)?
  }

  private let clock: any MonotonicClock
  private let state = Mutex(State())

  /// - Parameter clock: Measures the limits.
  init(_ clock: any MonotonicClock) { self.clock = clock }

  /// Whether a step took longer than its limit. The result of the call is dropped then.
  var hasExpired: Bool { state.withLock { $0.expired != nil } }

  /// Starts a step.
  ///
  /// - Parameters:
  ///   - name: What the step waits for, in the sentence of an error.
  ///   - limit: How long it may take.
  func expect(_ name: String, within limit: Duration) {
    let end = clock.now + limit
    let step = state.withLock { state in
      state.step += 1
      return state.step
    }
    let timer = Task { [self, clock] in
      guard (try? await clock.sleep(until: end)) != nil else { return }
      expire(step, .unavailable(reason: "\(name) has not answered within \(limit.text)"))
    }
    replaceTimer(of: step, by: timer)
  }

  /// Ends the limit of the last step.
  func end() {
    let step = state.withLock { state in
      state.step += 1
      return state.step
    }
    replaceTimer(of: step, by: nil)
  }

  /// Sets what happens when a step takes longer than its limit. Called at once when one has.
  func onExpiry(_ action: @escaping @Sendable (DeviceAuthenticationError) -> Void) {
    let expired = state.withLock { state in
      state.action = action
      return state.expired
    }
    if let expired { action(expired) }
  }

  private func replaceTimer(of step: Int, by timer: Task<Void, Never>?) {
    let former = state.withLock { state -> Task<Void, Never>? in
      guard state.step == step else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    former?.cancel()
  }

  private func expire(_ step: Int, _ error: DeviceAuthenticationError) {
    let action = state.withLock { state -> (@Sendable (DeviceAuthenticationError) -> Void)? in
      guard state.step == step, state.expired == nil else { return nil }
      state.expired = error
      return state.action
    }
    action?(error)
  }
}

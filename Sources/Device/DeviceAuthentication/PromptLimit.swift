package import Octets
internal import Synchronization

/// Waits for the answer to a prompt and closes the prompt at the time limit; a sensor may have none.
///
/// Both the prompt and the timer have ended when this returns, so no prompt stays open after its verification. The
/// prompt starts in this call: one that answers without a wait, as of a simulated device, needs neither a timer nor
/// another thread.
///
/// - Parameters:
///   - end: The time limit.
///   - late: The error at the time limit.
/// - Returns: Nil when the task was cancelled before the prompt had an answer.
package func answer<Value: Sendable, Failure: Error>(
  until end: Instant, by clock: any MonotonicClock, late: Failure,
  _ prompt: @escaping @Sendable () async throws(Failure) -> Value
) async -> Result<Value, Failure>? {
  let isAnswered = Flag()
  return await withTaskGroup(of: Result<Value, Failure>?.self) { group in
    group.addImmediateTask {
      defer { isAnswered.set() }
      return await Result(of: prompt)
    }
    group.addImmediateTask {
      // A timer that was cancelled yields no answer: the prompt is cancelled as well.
      guard !isAnswered.isSet, (try? await clock.sleep(until: end)) != nil else { return nil }
      return .failure(late)
    }
    var first: Result<Value, Failure>?
    for await case .some(let answer) in group where first == nil {
      first = answer
      group.cancelAll()
    }
    return first
  }
}

/// Becomes true once.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

extension PasscodeResult {
  /// The result in the words of a prompt of either method.
  var answer: BiometricResult {
    switch self {
    case .matched: .matched
    case .notMatched: .notMatched
    case .lockedOut: .lockedOut
    case .cancelled: .cancelled
    }
  }
}

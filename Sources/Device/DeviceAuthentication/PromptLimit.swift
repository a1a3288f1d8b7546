internal import Octets
internal import Synchronization

/// Waits for the answer to a prompt and closes the prompt at the time limit; a sensor may have none.
///
/// Both the prompt and the timer have ended when this returns, so no prompt stays open after its verification. The
/// prompt starts in this call: one that answers without a wait, as of a simulated device, needs neither a timer nor
/// another thread.
func answer(
  within limit: Duration, by clock: any MonotonicClock,
  _ prompt: @escaping @Sendable () async throws(DeviceAuthenticationError) -> BiometricResult
) async -> PromptSequence.Answer {
  let end = clock.now + limit
  let isAnswered = Flag()
  return await withTaskGroup(of: PromptSequence.Answer?.self) { group in
    group.addImmediateTask {
      defer { isAnswered.set() }
      return await PromptSequence.Answer(of: prompt)
    }
    group.addImmediateTask {
      // A timer that was cancelled yields no answer: the prompt is cancelled as well.
      guard !isAnswered.isSet, (try? await clock.sleep(until: end)) != nil else { return nil }
      return .failure(.timedOut(limit: limit))
    }
    var first: PromptSequence.Answer?
    for await case .some(let answer) in group where first == nil {
      first = answer
      group.cancelAll()
    }
    return first ?? .success(.cancelled)
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

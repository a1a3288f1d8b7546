internal import Octets

/// Waits for the answer to a prompt and closes the prompt at the time limit; a sensor may have none.
///
/// Both the prompt and the timer have ended when this returns, so no prompt stays open after its verification.
func answer(
  within limit: Duration, by clock: any MonotonicClock,
  _ prompt: @escaping @Sendable () async throws(DeviceAuthenticationError) -> PromptSequence.Answer
) async -> PromptSequence.Answer {
  let end = clock.now + limit
  return await withTaskGroup(of: PromptSequence.Answer?.self) { group in
    group.addTask {
      do throws(DeviceAuthenticationError) {
        return try await prompt()
      } catch {
        return .failed(error)
      }
    }
    group.addTask {
      // A timer that was cancelled yields no answer: the prompt is cancelled as well.
      guard (try? await clock.sleep(until: end)) != nil else { return nil }
      return .failed(.timedOut(limit: limit))
    }
    var first: PromptSequence.Answer?
    for await case .some(let answer) in group where first == nil {
      first = answer
      group.cancelAll()
    }
    return first ?? .cancelled
  }
}

extension BiometricResult {
  var answer: PromptSequence.Answer {
    switch self {
    case .matched: .matched
    case .notMatched: .notMatched
    case .exhausted: .exhausted
    case .fallbackRequested: .fallbackRequested
    case .lockedOut: .lockedOut
    case .cancelled: .cancelled
    }
  }
}

extension PasscodeResult {
  var answer: PromptSequence.Answer {
    switch self {
    case .matched: .matched
    case .notMatched: .notMatched
    case .lockedOut: .lockedOut
    case .cancelled: .cancelled
    }
  }
}

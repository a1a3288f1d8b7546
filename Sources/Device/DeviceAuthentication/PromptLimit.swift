internal import Octets

/// Waits for a prompt and takes it away when its time is up: a sensor may wait for ever.
///
/// Both the prompt and the clock have ended when this returns, so no prompt outlives its verification.
func answer(
  within limit: Duration, by clock: any MonotonicClock,
  _ prompt: @escaping @Sendable () async throws(DeviceAuthenticationError) -> VerificationDialogue.Answer
) async -> VerificationDialogue.Answer {
  let end = clock.now + limit
  return await withTaskGroup(of: VerificationDialogue.Answer?.self) { group in
    group.addTask {
      do throws(DeviceAuthenticationError) {
        return try await prompt()
      } catch {
        return .failed(error)
      }
    }
    group.addTask {
      // A clock that was interrupted says nothing: the prompt hears of the cancellation itself.
      guard (try? await clock.sleep(until: end)) != nil else { return nil }
      return .failed(.timedOut(limit: limit))
    }
    var first: VerificationDialogue.Answer?
    for await case .some(let answer) in group where first == nil {
      first = answer
      group.cancelAll()
    }
    return first ?? .cancelled
  }
}

extension BiometricResult {
  var answer: VerificationDialogue.Answer {
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
  var answer: VerificationDialogue.Answer {
    switch self {
    case .matched: .matched
    case .notMatched: .notMatched
    case .lockedOut: .lockedOut
    case .cancelled: .cancelled
    }
  }
}

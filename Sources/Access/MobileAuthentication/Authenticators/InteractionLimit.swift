internal import Octets

/// Waits for the answer of the person, and cancels the prompt at the limit. The prompt has ended when this returns.
///
/// - Throws: `.cancelled` or `.notResponsive`.
func answer<Value: Sendable>(
  within limit: Duration, by clock: any MonotonicClock,
  _ ask: @escaping @Sendable () async throws(InteractionCancelled) -> Value
) async throws(AuthenticatorError) -> Value {
  let end = clock.now + limit
  let answer = await withTaskGroup(of: Result<Value, AuthenticatorError>?.self) { group in
    group.addTask {
      do throws(InteractionCancelled) {
        return .success(try await ask())
      } catch {
        return .failure(.cancelled)
      }
    }
    group.addTask {
      // A timer that was cancelled yields no answer: the prompt is cancelled as well.
      guard (try? await clock.sleep(until: end)) != nil else { return nil }
      return .failure(.notResponsive(limit: limit))
    }
    var first: Result<Value, AuthenticatorError>?
    for await case .some(let answer) in group where first == nil {
      first = answer
      group.cancelAll()
    }
    return first ?? .failure(.cancelled)
  }
  guard !Task.isCancelled else { throw .cancelled }
  return try answer.get()
}

internal import Dispatch

/// Runs work that blocks or computes for long, on a thread other than those that all tasks share.
func offPool<Value: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: Result(catching: work)) }
  }
  return try result.get()
}

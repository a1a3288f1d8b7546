internal import Octets

/// Runs a call that blocks on a thread of its own, so that no thread of the cooperative pool waits. Traps when the system
/// has no more threads.
///
/// - Throws: What the call throws. Cancelling the task does not end the call.
package func blocking<Value: Sendable, Failure: Error>(
  _ call: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    let isStarted = startDetachedThread { continuation.resume(returning: Result(catching: call)) }
    precondition(isStarted, "the system has no thread for a call that blocks")
  }
  return try result.get()
}

internal import DeviceAuthentication
internal import Octets
internal import Synchronization

/// Runs a call that blocks on a thread of its own, so that no thread of the cooperative pool waits.
///
/// The call cannot be interrupted. When a step of it exceeds its limit the caller goes on, the thread stays until the
/// call returns, and its result is dropped.
///
/// - Parameters:
///   - name: What the call waits for, in the sentence of an error.
///   - watch: Has the limit of each step; nil is without a limit.
/// - Throws: What the call throws; `.unavailable` when the system has no thread, or a limit has passed.
func onOwnThread<Value: Sendable>(
  waitingFor name: String, _ watch: CallWatch? = nil,
  _ call: @escaping @Sendable () throws(DeviceAuthenticationError) -> Value
) async throws(DeviceAuthenticationError) -> Value {
  defer { watch?.end() }
  let result = await withCheckedContinuation { continuation in
    let waiter = Mutex<CheckedContinuation<Result<Value, DeviceAuthenticationError>, Never>?>(continuation)
    // The first result resumes the caller. Later ones are dropped.
    let complete = { @Sendable (result: Result<Value, DeviceAuthenticationError>) in
      waiter.withLock { $0.take() }?.resume(returning: result)
    }
    watch?.onExpiry { complete(.failure($0)) }
    let isStarted = startDetachedThread { complete(Result(catching: call)) }
    if !isStarted { complete(.failure(.unavailable(reason: "the system has no thread for \(name)"))) }
  }
  return try result.get()
}

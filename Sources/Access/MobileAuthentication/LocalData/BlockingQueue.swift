internal import Dispatch

/// Runs calls that block or compute for long on threads of their own, so that no thread of the cooperative pool waits.
struct BlockingQueue: Sendable {
  private let queue: DispatchQueue

  /// For calls that are independent of each other.
  static let shared = BlockingQueue(DispatchQueue(label: "mobile-authentication", attributes: .concurrent))

  private init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  /// Runs a call.
  func run<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: call()) } }
  }

  /// Runs a call that can fail.
  func run<Value: Sendable, Failure: Error>(
    _ call: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await run {
      do throws(Failure) {
        return .success(try call())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

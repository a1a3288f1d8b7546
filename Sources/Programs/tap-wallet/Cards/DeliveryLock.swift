import Glibc

/// The right to get keys for the cards of a wallet's folder. Two commands that get keys at the same time would both store
/// the keys of one pending delivery.
final class DeliveryLock: Sendable {
  private let descriptor: Int32

  /// Waits until no other process has the lock. A cancelled task stops waiting.
  ///
  /// - Parameter path: The file of the lock, created at first use.
  init(path: String) async throws {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure("LocalData", "\(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
    }
    // A blocking call would hold a thread of the cooperative pool.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
  }

  // Closing the descriptor releases the lock.
  deinit { close(descriptor) }

  /// Runs a body under the lock.
  static func holding<Value>(_ path: String, _ body: () async throws -> Value) async throws -> Value {
    let lock = try await DeliveryLock(path: path)
    defer { withExtendedLifetime(lock) {} }
    return try await body()
  }
}

internal import Glibc

/// The lock of a file between processes, released with the last reference or the end of the process.
final class DeliveryLock: Sendable {
  private let descriptor: Int32

  /// Waits until no other process has the lock.
  ///
  /// - Parameter path: The file of the lock, created at first use.
  /// - Throws: `ProvisioningError.storage` when the file cannot be opened, `CancellationError`.
  init(path: String) async throws {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ProvisioningError.storage("\(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
    }
    // A blocking call would hold a thread of the cooperative pool.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
  }

  deinit { close(descriptor) }
}

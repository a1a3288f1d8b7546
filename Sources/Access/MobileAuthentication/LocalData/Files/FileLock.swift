internal import Glibc

/// The lock of a file between threads and processes, released with the last reference or the end of the process.
public final class FileLock: RegistrationMark {
  /// Which other locks of the file may exist at the same time.
  public enum Kind: Sendable {
    /// Other shared locks.
    case shared
    /// No other lock.
    case exclusive
  }

  private let descriptor: Int32

  /// Requests the lock until it is free. Blocks.
  ///
  /// - Parameters:
  ///   - path: The file. It is created, in a directory that exists.
  ///   - attempts: How often the lock is requested, every 5 ms, 1 or more.
  /// - Throws: `.notWritable` when the file cannot be opened, `.busy` after the last attempt.
  public init(_ path: String, _ kind: Kind, attempts: Int) throws(LocalDataError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .notWritable(path: path, reason: systemText(errno)) }
    self.descriptor = descriptor
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    for attempt in 1...attempts {
      if flock(descriptor, operation) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw .notWritable(path: path, reason: systemText(errno)) }
      if attempt < attempts { usleep(5000) }
    }
    throw .busy(path: path)
  }

  /// Waits for the lock without a limit, and without blocking a thread.
  ///
  /// - Parameter path: The file. It is created, in a directory that exists.
  /// - Throws: `LocalDataError.notWritable` when the file cannot be opened, `CancellationError`.
  public static func waiting(for path: String, _ kind: Kind) async throws -> FileLock {
    while true {
      do throws(LocalDataError) {
        return try FileLock(path, kind, attempts: 1)
      } catch {
        guard case .busy = error else { throw error }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  deinit { close(descriptor) }
}

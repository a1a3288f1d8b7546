internal import Octets
internal import Glibc

/// The lock of a file between threads and processes (flock(2)), released with the last reference or the end of the
/// process.
package final class FileLock: Sendable {
  /// Which other locks of the file may exist at the same time.
  package enum Kind: Sendable {
    /// Other shared locks.
    case shared
    /// No other lock.
    case exclusive
  }

  private let file: Descriptor

  /// Requests the lock until it is free. Blocks.
  ///
  /// - Parameters:
  ///   - path: The file. It is created, in a folder that exists.
  ///   - flags: The flags of open(2) for a lock on a folder, or on a file that is no link.
  ///   - limit: How long the lock is requested, every 5 ms and at least once; nil is without a limit.
  /// - Throws: `EWOULDBLOCK` after the limit.
  package init(
    _ path: String, _ kind: Kind = .exclusive, flags: Int32 = O_RDWR | O_CREAT, within limit: Duration?
  ) throws(SystemError) {
    file = try Descriptor(opening: path, flags)
    let end = limit.map { SystemClock().now + $0 }
    let operation = kind == .shared ? LOCK_SH : LOCK_EX
    while flock(file.number, end == nil ? operation : operation | LOCK_NB) != 0 {
      let error = SystemError()
      guard error.isBusy || error.number == EINTR else { throw error }
      if let end, SystemClock().now >= end { throw error }
      usleep(5000)
    }
  }

  /// Waits for the lock without a limit, and without blocking a thread.
  ///
  /// - Parameter path: The file. It is created, in a folder that exists.
  /// - Throws: `SystemError` when the file cannot be opened, `CancellationError`.
  package static func waiting(for path: String, _ kind: Kind) async throws -> FileLock {
    while true {
      do throws(SystemError) {
        return try FileLock(path, kind, within: .zero)
      } catch {
        guard error.isBusy else { throw error }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

extension SystemError {
  /// Whether another thread or process has the lock.
  package var isBusy: Bool { number == EWOULDBLOCK }
}

internal import Glibc

/// The lock of a file between threads and processes, released with the last reference or the end of the process.
final class FileLock: RegistrationMark {
  /// Who else may have the lock at the same time.
  enum Kind {
    /// Others of this kind.
    case shared
    /// No other holder.
    case exclusive
  }

  private let descriptor: Int32

  /// Requests the lock until it is free. Blocks.
  ///
  /// - Parameters:
  ///   - path: The file. It is created, in a directory that exists.
  ///   - attempts: How often the lock is requested, every 5 ms, 1 or more.
  /// - Throws: `.notWritable` when the file cannot be opened, `.busy` after the last attempt.
  init(_ path: String, _ kind: Kind, attempts: Int) throws(LocalDataError) {
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

  deinit { close(descriptor) }
}

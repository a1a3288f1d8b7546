internal import Glibc
internal import Synchronization

/// The message that memory of secrets could not be locked, sent once in the life of a process.
enum LockFailure {
  private static let isReported = Atomic<Bool>(false)
  private static let receiver = Mutex<@Sendable (String) -> Void>(writeToStandardError)

  static func setReceiver(_ report: @escaping @Sendable (String) -> Void) { receiver.withLock { $0 = report } }

  /// Reports the error number of `mlock`, the first time that it is called.
  static func report(_ number: Int32) {
    guard !isReported.exchange(true, ordering: .relaxed) else { return }
    // glibc keeps the text per thread; it is copied before the next call.
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    let report = receiver.withLock(\.self)
    report(
      """
      the memory of secrets cannot be locked (\(reason)), so that it can be written to the swap space: raise the limit \
      of locked memory (ulimit -l), or switch the swap space off
      """)
  }

  @Sendable private static func writeToStandardError(_ message: String) {
    let line = Array("Warning: \(message)\n".utf8)
    // A line that cannot be written has no other place.
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Secret {
  /// Sets the receiver of the message that memory of secrets could not be locked, which occurs at most once in a
  /// process. Without a receiver it is a line on standard error.
  ///
  /// - Parameter report: Called on the thread that creates a secret. Its text is a sentence without secrets.
  public static func onLockFailure(_ report: @escaping @Sendable (String) -> Void) { LockFailure.setReceiver(report) }
}

internal import Glibc

/// Starts a detached thread, for work that blocks: no thread of the cooperative pool waits then. The thread ends when the
/// work returns.
///
/// - Returns: Whether the system has created the thread; otherwise the work does not run.
package func startDetachedThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  let body = unsafe Unmanaged.passRetained(ThreadBody(work))
  var thread = pthread_t()
  let code = unsafe pthread_create(&thread, nil, ThreadBody.main, body.toOpaque())
  guard code == 0 else {
    unsafe body.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// What a new thread runs.
private final class ThreadBody: Sendable {
  private let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
  }

  static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
    guard let body = unsafe body else { return nil }
    let thread = unsafe Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue()
    thread.work()
    return nil
  }
}

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Handles SIGINT (Ctrl-C), SIGTERM and SIGQUIT in place of an end at once. A second signal ends the program, unless the
/// handler takes every signal.
///
/// Of several handlers the newest is called; it may pass the signal on to the one before.
package final class Interrupt: Sendable {
  private let act: @Sendable (Interrupt, _ signal: Int32) -> Void
  private let repeats: Bool
  private let isUnderWay = Atomic(false)
  /// All handlers, the newest last.
  private static let listeners = Mutex<[Interrupt]>([])

  /// Adds a handler.
  ///
  /// - Parameters:
  ///   - repeats: Whether the handler is called for every signal, and not only for the first.
  ///   - act: Called with this interrupt and the signal, on a thread of its own.
  package init(repeats: Bool = false, _ act: @escaping @Sendable (Interrupt, _ signal: Int32) -> Void) {
    (self.repeats, self.act) = (repeats, act)
    Self.listeners.withLock { $0.append(self) }
    _ = unsafe Self.sources
  }

  /// Calls the handler before this one, or ends the program when this is the first.
  package func passOn(_ number: Int32) {
    let outer = Self.listeners.withLock { $0.prefix { $0 !== self }.last }
    if let outer { outer.act(outer, number) } else { Self.endProgram(number) }
  }

  /// Removes the handler. Without a handler, signals end the program at once again.
  ///
  /// - Returns: Whether a signal came before and its handler is running.
  @discardableResult
  package func end() -> Bool {
    Self.listeners.withLock { $0.removeAll { $0 === self } }
    return isUnderWay.load(ordering: .sequentiallyConsistent)
  }

  /// Removes the handler. Does not return when a signal came before: its handler is about to end the program.
  package func endOrWait() {
    // Nothing signals the semaphore.
    if end() { DispatchSemaphore(value: 0).wait() }
  }

  // Created once: Dispatch installs a handler with the first source of a signal only.
  // The sources are never used again, and are safe from any thread.
  private nonisolated(unsafe) static let sources = [SIGINT, SIGTERM, SIGQUIT].map { number in
    source(of: number) { hear(number) }
  }

  /// Creates a source, and returns when its handler is installed: a signal before that has its usual effect.
  static func source(of number: Int32, _ handle: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    let ready = DispatchSemaphore(value: 0)
    source.setEventHandler(handler: handle)
    source.setRegistrationHandler { ready.signal() }
    source.resume()
    ready.wait()
    return source
  }

  private static func hear(_ number: Int32) {
    guard let listener = listeners.withLock({ $0.last }),
      !listener.isUnderWay.exchange(true, ordering: .sequentiallyConsistent) || listener.repeats
    else { return endProgram(number) }
    // The next signal must be handled meanwhile.
    DispatchQueue.global().async { listener.act(listener, number) }
  }

  /// Ends the program as a signal does that is not handled. Returns only while the signal is under way.
  package static func endProgram(_ number: Int32) {
    signal(number, SIG_DFL)
    // Dispatch may have blocked the signal on this thread and others.
    var own = sigset_t()
    // One set of this frame.
    unsafe sigemptyset(&own)
    unsafe sigaddset(&own, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
    kill(getpid(), number)
  }
}

extension Interrupt {
  /// Gives SIGQUIT its default action: the Swift runtime would print a crash.
  package static func leaveQuitToSystem() { signal(SIGQUIT, SIG_DFL) }

  /// Whether standard output is a pipe or socket whose reader has gone.
  static var isOutputClosed: Bool { waitForOutput(milliseconds: 0) }

  /// Ends the program as SIGPIPE does as soon as the reader of standard output has gone: a program that prints only now
  /// and then would not notice. Blocks; give it a thread of its own.
  package static func endWithOutput() -> Never {
    while true {
      if waitForOutput(milliseconds: -1) { endProgram(SIGPIPE) }
      // A file or a terminal is never closed.
      sleep(3600)
    }
  }

  private static func waitForOutput(milliseconds: Int32) -> Bool {
    // POLLERR is reported although nothing is asked for.
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    // One structure of this frame, which the call fills in.
    return unsafe poll(&output, 1, milliseconds) > 0 && output.revents & Int16(POLLERR | POLLHUP) != 0
  }
}

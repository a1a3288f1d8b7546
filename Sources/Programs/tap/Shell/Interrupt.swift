import Dispatch
import Foundation
import Synchronization

/// Does something at Ctrl-C and SIGTERM, in place of an end at once. A second signal ends the program.
final class Interrupt: @unchecked Sendable {
  // @unchecked: the sources are made once, and cancelling one is safe from any thread.
  private let sources: [any DispatchSourceSignal]
  private let isUnderWay = Atomic(false)
  private static let signals = [SIGINT, SIGTERM]

  /// Starts to listen.
  ///
  /// - Parameter act: Is called with the first signal, on a thread of its own.
  init(_ act: @escaping @Sendable (_ signal: Int32) -> Void) {
    sources = Self.signals.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
    let ready = DispatchSemaphore(value: 0)
    for (number, source) in zip(Self.signals, sources) {
      source.setEventHandler {
        guard !self.isUnderWay.exchange(true, ordering: .sequentiallyConsistent) else { return }
        Self.restore()
        act(number)
      }
      source.setRegistrationHandler { ready.signal() }
      signal(number, SIG_IGN)
      source.resume()
      // A signal before that would be lost.
      ready.wait()
    }
  }

  /// Signals end the program at once again.
  ///
  /// - Returns: Whether one has come before, which is being acted on.
  @discardableResult
  func end() -> Bool {
    for source in sources { source.cancel() }
    Self.restore()
    return isUnderWay.load(ordering: .sequentiallyConsistent)
  }

  private static func restore() {
    for number in signals { signal(number, SIG_DFL) }
  }
}

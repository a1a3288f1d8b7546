import Dispatch
import Foundation
import Synchronization

/// Turns SIGINT and SIGTERM into a call.
final class Interrupt: Sendable {
  private let occurred = Atomic(false)
  // Only kept alive: written once, in the initialiser, and never read.
  private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []

  /// Whether a signal came.
  var hasOccurred: Bool { occurred.load(ordering: .acquiring) }

  init(_ act: @escaping @Sendable () -> Void) {
    unsafe sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [self] in
        occurred.store(true, ordering: .releasing)
        act()
      }
      source.resume()
      return source
    }
  }
}

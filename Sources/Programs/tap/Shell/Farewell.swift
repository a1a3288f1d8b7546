import Dispatch
import Foundation
import PCSCReader
import Synchronization

/// Lets a signal end the program only when a reader is as it was: nothing else would switch its own search for cards on
/// again. A second signal ends the program at once.
final class Farewell: @unchecked Sendable {
  // @unchecked: the sources are made once, and cancelling one is safe from any thread.
  private let sources: [any DispatchSourceSignal]
  private let isLeaving = Atomic(false)
  private static let signals = [SIGINT, SIGTERM]

  init(to device: ACR122Device) {
    sources = Self.signals.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
    let ready = DispatchSemaphore(value: 0)
    for (number, source) in zip(Self.signals, sources) {
      source.setEventHandler { self.leave(device, number) }
      source.setRegistrationHandler { ready.signal() }
      signal(number, SIG_IGN)
      source.resume()
      // A signal before that would be lost.
      ready.wait()
    }
  }

  private func leave(_ device: ACR122Device, _ number: Int32) {
    isLeaving.store(true, ordering: .sequentiallyConsistent)
    for number in Self.signals { signal(number, SIG_DFL) }
    device.close()
    kill(getpid(), number)
  }

  /// Signals end the program at once again. Does not return when one is about to.
  func end() {
    for source in sources { source.cancel() }
    while isLeaving.load(ordering: .sequentiallyConsistent) { sleep(1) }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}

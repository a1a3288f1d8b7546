import Foundation
import PCSCReader

/// Lets a signal end the program only when a reader is as it was: nothing else would switch its own search for cards on
/// again. A second signal ends the program at once.
struct Farewell: Sendable {
  private let interrupt: Interrupt

  init(to device: ACR122Device) {
    interrupt = Interrupt { interrupt, signal in
      device.close()
      interrupt.passOn(signal)
    }
  }

  /// Signals end the program at once again. Does not return when one is about to.
  func end() {
    guard interrupt.end() else { return }
    while true { sleep(1) }
  }
}

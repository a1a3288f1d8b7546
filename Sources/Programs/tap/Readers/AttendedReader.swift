import Links
import Octets
import ProgramSupport
import ReaderKinds

/// A reader that asks a person for a card, and that is left as it was also when a signal ends the program.
struct AttendedReader: CardReader {
  private let base: any CardReader
  private let isSilent: Bool

  /// - Parameter isSilent: Whether another part of the program asks the person.
  init(_ base: any CardReader, isSilent: Bool = false) { (self.base, self.isSilent) = (base, isSilent) }

  func check() throws(LinkError) { try base.check() }

  func open(timeout: Duration) throws(LinkError) -> OpenedReader {
    var opened = try base.open(timeout: timeout)
    opened.restore = opened.restore.map { Restoration($0).perform }
    if !isSilent { Console.note("Waiting for a card at \(opened.name), \(timeout.text) at most ...") }
    return opened
  }

  func waitForRemoval(timeout: Duration) throws(LinkError) { try base.waitForRemoval(timeout: timeout) }
}

extension LinkDevice {
  /// The device, which is left as it was also when a signal ends the program.
  func restoredAtInterrupt() -> LinkDevice {
    var device = self
    device.restore = restore.map { Restoration($0).perform }
    return device
  }
}

/// Leaves a reader as it was, once, also when a signal ends the program. A second signal ends the program at once.
private struct Restoration: Sendable {
  private let restore: @Sendable () -> Void
  private let interrupt: Interrupt

  init(_ restore: @escaping @Sendable () -> Void) {
    self.restore = restore
    interrupt = Interrupt { interrupt, signal in
      restore()
      interrupt.passOn(signal)
    }
  }

  /// Leaves the reader as it was. Does not return when a signal is about to end the program.
  func perform() {
    interrupt.endOrWait()
    restore()
  }
}

import EMVTerminal
import Links
import NFCReader
import PaymentAcceptance

/// A tap at an NFC device that libnfc drives: waits for a card and takes a payment from it.
struct NFCTap: Sendable {
  let connstring: String

  /// Takes the payment. Blocks.
  func run(_ request: PaymentRequest, at terminal: PaymentAcceptance) throws(LinkError) -> PaymentResult {
    let device = try NFCDevice.opened(connstring)
    Console.note("Waiting for a card at \(device.name) ...")
    var field = PoweredField { (timeout) throws(LinkError) in try NFCChannel(device, timeout: timeout) }
    return terminal.result(of: request, at: &field)
  }
}

extension NFCDevice {
  /// How long a program that was just ended may need to leave its device in order.
  private static let leaving = Duration.seconds(5)

  /// Opens a device, and waits a little for a program that still holds it. Blocks.
  static func opened(_ connstring: String) throws(LinkError) -> NFCDevice {
    let deadline = ContinuousClock.now + leaving
    var isTold = false
    while true {
      do throws(LinkError) {
        return try NFCDevice(connstring)
      } catch {
        guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
        if !isTold { Console.note("\(error). Waiting for it ...") }
        isTold = true
        pause(for: .milliseconds(100))
      }
    }
  }
}

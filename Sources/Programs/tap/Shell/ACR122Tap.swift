import EMVTerminal
import Links
import PCSCReader
import PaymentAcceptance

/// A tap at an ACR122 reader whose chip is driven directly: waits for a card and takes a payment from it.
struct ACR122Tap: Sendable {
  let name: String

  /// Takes the payment. Blocks.
  func run(_ request: PaymentRequest, at terminal: PaymentAcceptance) throws(LinkError) -> PaymentResult {
    let device = try ACR122Device(matching: name)
    let farewell = Farewell(to: device)
    defer {
      farewell.end()
      device.close()
    }
    Console.note("Waiting for a card at \(device.reader) ...")
    var field = PoweredField { (timeout) throws(LinkError) in try ACR122Channel(device, timeout: timeout) }
    return terminal.result(of: request, at: &field)
  }
}

extension ACR122Device {
  /// Opens the reader that a name given by a person means.
  convenience init(matching name: String) throws(LinkError) {
    try self.init(reader: PCSCService.reader(matching: name))
  }
}

import EMVTerminal
import Links
import PCSCReader
import PaymentAcceptance

/// A tap at an ACR122 reader whose chip is driven directly: waits for a card and takes a payment from it.
struct ACR122Tap: Sendable {
  let name: String
  let timeout: Duration

  /// Takes the payment with the first card that answers. Blocks.
  func run(_ request: PaymentRequest, at terminal: TerminalSide) throws(LinkError) -> TerminalSide.Result {
    let device = try ACR122Device(matching: name)
    let farewell = Farewell(to: device)
    defer {
      farewell.end()
      device.close()
    }
    Console.note("Waiting for a card at \(device.reader) ...")
    return try terminal.accept(request, within: timeout) { (timeout) throws(LinkError) in
      try ACR122Channel(device, timeout: timeout)
    }
  }
}

extension ACR122Device {
  /// Opens the reader that a name given by a person means.
  convenience init(matching name: String) throws(LinkError) {
    try self.init(reader: PCSCService.reader(matching: name))
  }
}

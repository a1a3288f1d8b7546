import Links
import NFCReader
import PaymentAcceptance

extension ReaderKind {
  /// An NFC device of libnfc.
  static let nfc = ReaderKind(
    prefix: "nfc", placeholder: "CONNSTRING", remark: "libnfc",
    open: { connstring, _ in
      ReaderPlace(
        host: ShippedCards.host, check: { () throws(LinkError) in _ = try NFCDevice.opened(connstring) },
        prepare: { (use, _) throws(LinkError) in
          let device = try NFCDevice.opened(connstring)
          Console.note("Waiting for a card at \(device.name) ...")
          var field: any CardField = PoweredField { (timeout) throws(LinkError) in
            try NFCChannel(device, timeout: timeout)
          }
          use(&field)
        })
    })
}

extension LinkKind {
  /// An NFC device of libnfc. Its process leaves the device in order by itself.
  static let nfc = LinkKind(
    prefix: "nfc", placeholder: "CONNSTRING",
    open: { (connstring) throws(LinkError) in
      let device = try NFCDevice.opened(connstring)
      return LinkDevice.ready { NFCLink(device) }
    })
}

extension NFCDevice {
  /// Opens a device, and reports a program that still holds it. Blocks.
  static func opened(_ connstring: String) throws(LinkError) -> NFCDevice {
    try open(connstring, patience: .seconds(5)) { Console.note("\($0). Waiting for it ...") }
  }
}

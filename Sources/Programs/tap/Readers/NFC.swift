import CardExploration
import CardLinks
import Links
import NFCReader
import Octets
import PaymentAcceptance

extension ReaderKind {
  /// An NFC device of libnfc.
  static let nfc = ReaderKind(
    prefix: "nfc", placeholder: "CONNSTRING", remark: "libnfc", isDevice: true,
    open: { connstring, options in
      ReaderPlace(
        host: { ShippedCards.host(options.keys) },
        check: { () throws(LinkError) in _ = try NFCDevice.opened(connstring) { Console.note($0) } },
        prepare: preparation(connstring))
    }, card: { CardPlace(prepare: preparation($0)) })

  private static func preparation(_ connstring: String) -> CardPlace.Preparation {
    { (use, timeout) throws(LinkError) in
      let device = try NFCDevice.opened(connstring) { Console.note($0) }
      Console.note("Waiting for a card at \(device.name), \(timeout.text) at most ...")
      var field: any CardField = PoweredField { (timeout) throws(LinkError) in
        try NFCChannel(device, timeout: timeout)
      }
      use(&field)
    }
  }
}

import CardExploration
import CardLinks
import Foundation
import Links
import Octets
import PCSCReader
import PaymentAcceptance

extension ReaderKind {
  /// An ACR122 whose chip is driven directly.
  static let acr122 = ReaderKind(
    prefix: "acr122", placeholder: "NAME", remark: "the chip of a PC/SC reader", isDevice: true,
    open: { name, options in
      ReaderPlace(
        host: { ShippedCards.host(options.keys) },
        check: { () throws(LinkError) in _ = try PCSCService.reader(matching: name) },
        prepare: preparation(name))
    }, card: { CardPlace(prepare: preparation($0)) })

  private static func preparation(_ name: String) -> CardPlace.Preparation {
    { (use, timeout) throws(LinkError) in
      let (device, restoration) = try ACR122Device.opened(name)
      defer { restoration.perform() }
      Console.note("Waiting for a card at \(device.reader), \(timeout.text) at most ...")
      var field: any CardField = PoweredField { (timeout) throws(LinkError) in
        try ACR122Channel(device, timeout: timeout)
      }
      use(&field)
    }
  }
}

extension LinkKind {
  /// The chip of an ACR122 as a card.
  static let acr122 = LinkKind(
    prefix: "acr122", placeholder: "NAME",
    open: { (name) throws(LinkError) in
      let (device, restoration) = try ACR122Device.opened(name)
      return LinkDevice.ready({ ACR122Link(device) }, close: restoration.perform)
    })
}

extension ACR122Device {
  fileprivate static func opened(_ name: String) throws(LinkError) -> (ACR122Device, ReaderRestoration) {
    let device = try ACR122Device(reader: PCSCService.reader(matching: name))
    return (device, ReaderRestoration(of: device))
  }
}

/// Leaves a reader as it was, also when a signal ends the program: nothing else would switch the reader's own search
/// for
/// cards on again. A second signal ends the program at once.
private struct ReaderRestoration: Sendable {
  private let device: ACR122Device
  private let interrupt: Interrupt

  init(of device: ACR122Device) {
    self.device = device
    interrupt = Interrupt { interrupt, signal in
      device.close()
      interrupt.passOn(signal)
    }
  }

  /// Leaves the reader as it was. Does not return when a signal is about to end the program.
  func perform() {
    if interrupt.end() {
      while true { sleep(1) }
    }
    device.close()
  }
}

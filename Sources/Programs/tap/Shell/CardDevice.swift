import Links
import NFCReader
import PCSCReader

/// A device that can be the card, claimed once for several payments.
enum CardDevice: Sendable {
  case acr122(ACR122Device, Farewell)
  case nfc(NFCDevice)

  /// Opens the device that a link needs; nil for one that needs none. Blocks.
  init?(_ link: LinkName) throws(LinkError) {
    switch link {
    case .acr122(let name):
      let device = try ACR122Device(matching: name)
      self = .acr122(device, Farewell(to: device))
    case .nfc(let connstring): self = .nfc(try NFCDevice.opened(connstring))
    case .loopback, .vpcd: return nil
    }
  }

  /// A new link that presents a card at this device.
  func link() -> any EmulationLink {
    switch self {
    case .acr122(let device, _): ACR122Link(device)
    case .nfc(let device): NFCLink(device)
    }
  }

  /// Leaves the device in order. The process of libnfc does so by itself.
  func close() {
    if case .acr122(let device, let farewell) = self {
      farewell.end()
      device.close()
    }
  }
}

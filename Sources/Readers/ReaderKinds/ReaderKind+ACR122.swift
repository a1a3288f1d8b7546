internal import Links
internal import PCSCReader

extension ReaderKind {
  /// An ACR122 whose chip is driven directly.
  public static let acr122 = ReaderKind(
    prefix: "acr122", placeholder: "NAME", remark: "the chip of a PC/SC reader",
    reader: { name, _ in ACR122Reader(name: name) })
}

extension LinkKind {
  /// The chip of an ACR122 as a card.
  public static let acr122 = LinkKind(
    prefix: "acr122", placeholder: "NAME",
    open: { (name, _) throws(LinkError) in
      let device = try ACR122Reader(name: name).device()
      return LinkDevice.ready({ ACR122Link(device) }, restore: { device.close() })
    })
}

private struct ACR122Reader: CardReader {
  let name: String

  func device() throws(LinkError) -> ACR122Device {
    try ACR122Device(reader: PCSCService.reader(matching: name))
  }

  func check() throws(LinkError) { _ = try PCSCService.reader(matching: name) }

  /// Nothing else than `restore` switches the reader's own search for cards on again.
  func open(timeout: Duration) throws(LinkError) -> OpenedReader {
    let device = try device()
    let field = PoweredField { (timeout) throws(LinkError) in try ACR122Channel(device, timeout: timeout) }
    return OpenedReader(name: device.reader, field: field, restore: { device.close() })
  }
}

internal import Links
internal import NFCReader

extension ReaderKind {
  /// An NFC device of libnfc.
  public static let nfc = ReaderKind(
    prefix: "nfc", placeholder: "CONNSTRING", remark: "libnfc",
    reader: { connstring, note in NFCFieldReader(connstring: connstring, note: note) })
}

extension LinkKind {
  /// An NFC device of libnfc. Its process leaves the device in order by itself.
  public static let nfc = LinkKind(
    prefix: "nfc", placeholder: "CONNSTRING",
    open: { (connstring, note) throws(LinkError) in
      let device = try NFCFieldReader(connstring: connstring, note: note).device()
      return LinkDevice.ready { NFCLink(device) }
    })
}

private struct NFCFieldReader: CardReader {
  let connstring: String
  let note: @Sendable (String) -> Void

  /// Opens the device, and reports a program that still holds it. Blocks.
  func device() throws(LinkError) -> NFCDevice {
    try NFCDevice.open(connstring, patience: .seconds(5)) { note("\($0). Waiting for it ...") }
  }

  func check() throws(LinkError) { _ = try device() }

  func open(timeout: Duration) throws(LinkError) -> OpenedReader {
    let device = try device()
    let field = PoweredField { (timeout) throws(LinkError) in try NFCChannel(device, timeout: timeout) }
    return OpenedReader(name: device.name, field: field)
  }
}

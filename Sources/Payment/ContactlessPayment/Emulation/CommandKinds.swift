internal import EMVCard
internal import ISO7816
internal import Octets

extension Span<UInt8> {
  /// Whether this is GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8).
  var isProcessingOptions: Bool { count >= 2 && integer(at: 0, as: UInt16.self) == 0x80A8 }
}

extension Card {
  /// Whether a refused selection named a payment application that the card does not have. A card also gives a status
  /// word alone, 6Cxx, to the selection of its own application with a short Le.
  @inline(never)
  func lacksApplication(selectedBy command: Span<UInt8>) -> Bool {
    guard let layout = try? CommandLayout(parsing: command) else { return false }
    let name = command.extracting(layout.dataOffset..<layout.dataOffset + layout.dataCount)
    return PaymentProviders.contains(name) && !hasApplication(named: name)
  }
}

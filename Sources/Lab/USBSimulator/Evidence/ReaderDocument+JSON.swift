internal import JSON
internal import Octets
internal import ReaderSimulator

extension ReaderDocument {
  /// The document as JSON, as `init(parsing:)` reads it.
  ///
  /// - Parameter origin: Where the values are from.
  public func text(origin: String) -> String {
    let members = deviceMembers + [("origin", JSONValue(origin)), ("evidence", evidence?.json)]
    return JSONValue(members: members).pretty + "\n"
  }

  /// The members of the device; none for a reader that is not at the USB bus.
  private var deviceMembers: [(key: String, value: JSONValue?)] {
    guard isSmartCardReader || hasChip else { return [] }
    let list = interfaces.isEmpty ? nil : JSONValue(interfaces.map(\.json))
    return [
      ("vendor", JSONValue(device.vendor.bigEndianHex)), ("product", JSONValue(device.product.bigEndianHex)),
      ("release", JSONValue(device.release.bigEndianHex)),
      ("manufacturer", device.manufacturer.map { JSONValue($0) }), ("name", device.name.map { JSONValue($0) }),
      ("chip", chip.map { JSONValue($0.rawValue) }), ("interfaces", list),
    ]
  }
}

extension ReaderDocument.Interface {
  fileprivate var json: JSONValue {
    let values = description
    return JSONValue(members: [
      ("name", name.map { JSONValue($0) }), ("endpoints", JSONValue(hasInterrupts ? 3 : 2)),
      ("version", JSONValue(values.version.bigEndianHex)), ("maximumSlotIndex", JSONValue(values.maximumSlotIndex)),
      ("voltages", JSONValue(values.voltages.hex)), ("protocols", JSONValue(values.protocols.bigEndianHex)),
      ("clock", JSONValue(values.clocks.standard)), ("maximumClock", JSONValue(values.clocks.maximum)),
      ("dataRate", JSONValue(values.dataRates.standard)), ("maximumDataRate", JSONValue(values.dataRates.maximum)),
      ("maximumInformationField", JSONValue(values.maximumInformationFieldCount)),
      ("features", JSONValue(values.features.bigEndianHex)), ("maximumMessage", JSONValue(values.maximumMessageCount)),
      ("pinSupport", JSONValue(values.pinSupport.hex)), ("busySlots", JSONValue(values.busySlots)),
    ])
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// All hexadecimal digits of the number, in capitals.
  fileprivate var bigEndianHex: String { Array(littleEndianOctets.reversed()).hex }
}

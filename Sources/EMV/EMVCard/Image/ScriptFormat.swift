/// A format of secure messaging for issuer scripts, by the class of its commands (EMV 4.4 Book 2, 9.2).
enum ScriptFormat: UInt16 {
  /// Format 1: data objects 81 (the data, if there are any) and 8E (the MAC, 4 to 8 bytes). Each MAC begins with the one before.
  case chained = 0x8C
  /// Format 2: the data and a MAC of 8 bytes.
  case plain = 0x84

  /// The places of the parts in the data of a command.
  struct Parts {
    /// What the MAC covers besides the header.
    let object: Range<Int>
    /// The data of the command itself.
    let value: Range<Int>
    /// Empty without a MAC.
    let mac: Range<Int>
  }

  /// Returns the parts; nil for data of another form.
  func parts(of data: Span<UInt8>) -> Parts? {
    switch self {
    case .plain:
      guard data.count >= 8 else { return nil }
      return Parts(object: 0..<data.count - 8, value: 0..<data.count - 8, mac: data.count - 8..<data.count)
    case .chained: return Self.chainedParts(of: data)
    }
  }

  private static func chainedParts(of data: Span<UInt8>) -> Parts? {
    var value = 0..<0
    var offset = 0
    if data[0] == 0x81 {
      guard let range = objectValue(in: data, at: 0) else { return nil }
      (value, offset) = (range, range.upperBound)
    }
    let object = 0..<offset
    guard offset < data.count else { return Parts(object: object, value: value, mac: offset..<offset) }
    guard data[offset] == 0x8E, let mac = objectValue(in: data, at: offset), mac.upperBound == data.count,
      (4...8).contains(mac.count)
    else { return nil }
    return Parts(object: object, value: value, mac: mac)
  }

  /// The place of the value of a data object with a tag of one byte; nil when it goes beyond the data.
  private static func objectValue(in data: Span<UInt8>, at offset: Int) -> Range<Int>? {
    guard offset + 1 < data.count else { return nil }
    let isLong = data[offset + 1] == 0x81
    guard isLong || data[offset + 1] < 0x80, !isLong || offset + 2 < data.count else { return nil }
    let start = offset + (isLong ? 3 : 2)
    let end = start + Int(isLong ? data[offset + 2] : data[offset + 1])
    return end <= data.count ? start..<end : nil
  }
}

/// A response with an application cryptogram, read without the parsers of the product (EMV 4.4 Book 3, 6.5.5.4 and annex B).
struct CryptogramResponse: Equatable {
  /// Tag 9F36.
  let counter: UInt16
  /// Tag 9F26.
  let cryptogram: [UInt8]

  /// Nil for a response without both, and for that of a card without a key, whose counter and cryptogram are zeros.
  init?(_ response: [UInt8]) {
    guard response.count > 4, response.suffix(2) == [0x90, 0x00] else { return nil }
    let body = response.dropLast(2)
    var found: (counter: [UInt8], cryptogram: [UInt8])?
    switch body.first {
    case 0x80:
      // Format 1: length, cryptogram information, counter, cryptogram.
      let value = Array(body.dropFirst(2))
      if value.count >= 11 { found = (Array(value[1...2]), Array(value[3..<11])) }
    case 0x77:
      if let counter = Self.value(of: [0x9F, 0x36], in: body), counter.count == 2,
        let cryptogram = Self.value(of: [0x9F, 0x26], in: body), cryptogram.count == 8
      {
        found = (counter, cryptogram)
      }
    default: break
    }
    guard let found, (found.counter + found.cryptogram).contains(where: { $0 != 0 }) else { return nil }
    counter = UInt16(found.counter[0]) << 8 | UInt16(found.counter[1])
    cryptogram = found.cryptogram
  }

  /// The value of a primitive data object inside a template. Lengths have one byte, or two with the first `81`.
  private static func value(of tag: [UInt8], in template: ArraySlice<UInt8>) -> [UInt8]? {
    guard var rest = content(of: template.dropFirst()) else { return nil }
    while let first = rest.first {
      let tagCount = first & 0x1F == 0x1F ? 2 : 1
      guard rest.count > tagCount, let value = content(of: rest.dropFirst(tagCount)) else { return nil }
      if Array(rest.prefix(tagCount)) == tag { return Array(value) }
      rest = rest[value.endIndex...]
    }
    return nil
  }

  /// What a length at the beginning is for.
  private static func content(of octets: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let first = octets.first else { return nil }
    let isLong = first == 0x81
    guard let count = isLong ? octets.dropFirst().first : first, first < 0x80 || isLong else { return nil }
    let content = octets.dropFirst(isLong ? 2 : 1)
    return content.count >= Int(count) ? content.prefix(Int(count)) : nil
  }
}

internal import ISO7816

/// The end of a constructed data object that a response consists of.
enum TemplateEnd {
  /// How many bytes are missing of the template at the beginning of a response; nil when it is whole or none.
  static func missingCount(_ octets: [UInt8]) -> Int? {
    guard let first = octets.first, [0x6F, 0x70, 0x77].contains(first), let (header, count) = length(octets[...]) else {
      return nil
    }
    let missing = header + count + 2 - octets.count
    return missing > 0 ? missing : nil
  }

  static func isWhole(_ octets: ArraySlice<UInt8>) -> Bool {
    guard let (header, count) = length(octets) else { return false }
    return header + count == octets.count
  }

  /// The length of tag and length field, and the length that it states.
  private static func length(_ octets: ArraySlice<UInt8>) -> (header: Int, count: Int)? {
    guard let tag = Tag(prefixOf: octets), let short = octets.dropFirst(tag.octetCount).first else { return nil }
    if short < 0x80 { return (tag.octetCount + 1, Int(short)) }
    let bytes = Int(short & 0x7F)
    let header = tag.octetCount + 1 + bytes
    guard (1...3).contains(bytes), octets.count >= header else { return nil }
    return (header, octets.dropFirst(tag.octetCount + 1).prefix(bytes).reduce(0) { $0 << 8 | Int($1) })
  }
}

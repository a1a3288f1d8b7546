internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// The names of data elements and of their bits.
enum ElementName {
  /// A part of a data element.
  enum Part {
    case bit(NamedBit)
    case field(NamedField)
    case place(octet: Int, bit: Int)
  }

  /// The tag with these digits, with a short name such as TVR, or with a name of the books; nil for no such tag.
  static func tag(_ text: String) -> Tag? {
    if let tag = byName[plain(text)] { return tag }
    guard let octets = try? [UInt8](hex: text), (1...3).contains(octets.count) else { return nil }
    let tag = Tag(rawValue: octets.reduce(0) { $0 << 8 | UInt32($1) })
    return tag.isWellFormed && tag.encoded == octets ? tag : nil
  }

  /// The bit or group of bits with a name, or the bit at a position: `byte 2 bit 8`.
  static func part(_ text: String, of tag: Tag) -> Part? {
    for type in DataElement.bitFields(of: tag) {
      if let bit = type.bits.first(where: { means($0.name, text) }) { return .bit(bit) }
      if let field = type.fields.first(where: { means($0.name, text) }) { return .field(field) }
    }
    let words = text.split(separator: " ")
    guard words.count == 4, words[0] == "byte", words[2] == "bit", let octet = Int(words[1]), let bit = Int(words[3]),
      (1...255).contains(octet), (1...8).contains(bit)
    else { return nil }
    return .place(octet: octet, bit: bit)
  }

  /// The names of all parts of a data element.
  static func parts(of tag: Tag) -> [String] {
    DataElement.bitFields(of: tag).flatMap { $0.bits.map(\.name) + $0.fields.map(\.name) }
  }

  /// Compares names without filler words and without a remark in parentheses.
  private static func means(_ name: String, _ text: String) -> Bool {
    let wanted = plain(text)
    let bare = name.prefix { $0 != "(" }
    return [name[...], bare].contains { full in
      let words = full.split(separator: " ").filter { !["was", "is", "to", "be", "the"].contains($0) }
      return wanted == plain(full) || wanted == plain(words.joined())
    }
  }

  // Two short names that the dictionary does not have.
  private static let byName: [String: Tag] = {
    var names: [String: Tag] = ["psn": .panSequenceNumber, "un": .unpredictableNumber]
    for element in DataElement.all {
      names[plain(element.name)] = element.tag
      let bare = element.name.prefix { $0 != "(" }
      names[plain(bare)] = names[plain(bare)] ?? element.tag
      let short = element.name.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
      if !short.isEmpty, short.allSatisfy({ $0.isUppercase }) { names[plain(short)] = element.tag }
    }
    return names
  }()
}

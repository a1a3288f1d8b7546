internal import EMVData
internal import EMVDecoding
internal import ISO7816

/// The names of data elements and of their bits.
enum ElementName {
  /// A part of a data element.
  enum Part {
    case bit(NamedBit)
    case field(NamedField)
    case place(octet: Int, bit: Int)
  }

  /// The bit or group of bits with a name, or the bit at a position: `byte 2 bit 8`.
  static func part(_ text: String, of tag: Tag) -> Part? {
    for layout in DataElement.bitLayouts(of: tag) {
      if let bit = layout.bits.first(where: { means($0.name, text) }) { return .bit(bit) }
      if let field = layout.fields.first(where: { means($0.name, text) }) { return .field(field) }
    }
    let words = text.split(separator: " ")
    guard words.count == 4, words[0] == "byte", words[2] == "bit", let octet = Int(words[1]), let bit = Int(words[3]),
      (1...255).contains(octet), (1...8).contains(bit)
    else { return nil }
    return .place(octet: octet, bit: bit)
  }

  /// The names of all parts of a data element.
  static func parts(of tag: Tag) -> [String] {
    DataElement.bitLayouts(of: tag).flatMap { $0.bits.map(\.name) + $0.fields.map(\.name) }
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
}

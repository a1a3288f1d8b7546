public import ISO7816
internal import Octets

extension DataElement {
  /// The tag with these hexadecimal digits, with a short name such as `TVR`, or with a name of the books; nil for no such
  /// tag. Spaces, hyphens and capitals of a name are ignored.
  public static func tag(named text: String) -> Tag? {
    if let tag = byName[plain(text)] { return tag }
    guard let octets = try? [UInt8](hex: text), (1...3).contains(octets.count) else { return nil }
    let tag = Tag(rawValue: octets.reduce(0) { $0 << 8 | UInt32($1) })
    return tag.isWellFormed && tag.encoded == octets ? tag : nil
  }

  private static func plain(_ text: some StringProtocol) -> String {
    text.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  // Two short names that the dictionary does not have.
  private static let byName: [String: Tag] = {
    var names: [String: Tag] = ["psn": .panSequenceNumber, "un": .unpredictableNumber]
    for element in all {
      names[plain(element.name)] = element.tag
      let bare = element.name.prefix { $0 != "(" }
      names[plain(bare)] = names[plain(bare)] ?? element.tag
      let short = element.name.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
      if !short.isEmpty, short.allSatisfy({ $0.isUppercase }) { names[plain(short)] = element.tag }
    }
    return names
  }()
}

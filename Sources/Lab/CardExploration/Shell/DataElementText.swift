internal import EMVData
internal import ISO7816

/// What the dictionary has about data elements.
public enum DataElementText {
  /// The lines about a tag, or about all tags whose names contain a word.
  ///
  /// - Throws: `CommandTextError` when no element has the number or the word.
  public static func lines(_ word: String) throws(CommandTextError) -> [String] {
    if let number = UInt32(word, radix: 16), let element = DataElement.named(Tag(rawValue: number)) {
      return [line(element), "  \(element.reference)"]
    }
    let found = DataElement.all.filter { $0.name.lowercased().contains(word.lowercased()) }
    guard !found.isEmpty else {
      throw CommandTextError(.unknownName, "tag \(word.prefix(40)): the dictionary has no such element")
    }
    return found.map(line)
  }

  private static func line(_ element: DataElement) -> String {
    let (least, most) = (element.lengths.lowerBound, element.lengths.upperBound)
    let octets = least == most ? "\(least)" : "\(least)...\(most)"
    return
      "\(element.tag) \(element.name): \(element.format.rawValue), \(octets) bytes, from the \(element.source.rawValue)"
  }
}

public import Documents
public import ISO7816
public import JSON
internal import Octets

extension ObjectReader {
  /// Reads required bytes, written as hexadecimal text with or without spaces.
  ///
  /// - Parameter counts: The permitted numbers of bytes.
  /// - Returns: As many zeros as the least number when the value is missing or wrong.
  public mutating func octets(_ key: String, counts: ClosedRange<Int>) -> [UInt8] {
    readOctets(key, isRequired: true, counts) ?? [UInt8](repeating: 0, count: counts.lowerBound)
  }

  /// Reads required bytes of a fixed number, written as hexadecimal text with or without spaces.
  ///
  /// - Returns: Zeros when the value is missing or wrong.
  public mutating func octets(_ key: String, count: Int) -> [UInt8] { octets(key, counts: count...count) }

  /// Reads bytes of a fixed number; nil when they are absent or wrong.
  public mutating func optionalOctets(_ key: String, count: Int) -> [UInt8]? {
    readOctets(key, isRequired: false, count...count)
  }

  /// Reads declared bytes (`ProfileKey.Kind.octets`); nil when they are absent or wrong.
  public mutating func octets(_ key: ProfileKey) -> [UInt8]? {
    readOctets(key.name, isRequired: key.isRequired, key.range ?? 0...Int.max)
      ?? (has(key.name) ? nil : key.defaultValue?.text.flatMap { try? [UInt8](hex: $0) })
  }

  /// Reads a required list of data objects, each written as tag, space and value in hexadecimal: `9F02 000000000100`.
  ///
  /// A tag has 2, 4 or 6 digits and is not a template; the value has a length that the dictionary permits. Elements
  /// that are wrong are left out.
  ///
  /// - Parameter lengths: The permitted lengths, in bytes, of tags that mean something else to the kernel than to the
  ///   dictionary.
  public mutating func dataObjects(_ key: String, lengths: [Tag: ClosedRange<Int>] = [:]) -> [TLVNode] {
    list(key) { $2.dataObject($0, at: $1, lengths: lengths) }
  }

  /// Reads a list of data objects; nil when it is absent or not a list. See `dataObjects(_:lengths:)`.
  public mutating func optionalDataObjects(
    _ key: String, lengths: [Tag: ClosedRange<Int>] = [:]
  ) -> [TLVNode]? {
    optionalList(key) { $2.dataObject($0, at: $1, lengths: lengths) }
  }

  /// Reads a list that has at least one element. Notes an empty one, and refuses an element that cannot be read.
  ///
  /// - Parameters:
  ///   - name: An element in words.
  ///   - fault: The end of the sentence about a wrong element, such as `is not one byte`.
  public mutating func filledList<T>(
    _ key: String, of name: String, otherwise fault: String, _ read: (JSONValue) -> T?
  ) -> [T] {
    let found = list(key) { element, place, reader -> T? in
      if let value = read(element) { return value }
      reader.refuse(place, "\(element.text.map { "\"\($0)\"" } ?? element.kind) \(fault)")
      return nil
    }
    if value(key)?.list?.isEmpty == true { note(key, "at least one \(name) is needed") }
    return found
  }

  private mutating func readOctets(_ key: String, isRequired: Bool, _ counts: ClosedRange<Int>) -> [UInt8]? {
    read(key, isRequired: isRequired, expected: "text") { value, reader in
      value.text.flatMap { reader.octets($0, at: key, counts) }
    }
  }

  private mutating func octets(_ text: String, at place: String, _ counts: ClosedRange<Int>) -> [UInt8]? {
    do throws(OctetsError) {
      let octets = try [UInt8](hex: text)
      guard !counts.contains(octets.count) else { return octets }
      let (least, most) = (counts.lowerBound, counts.upperBound)
      refuse(place, "\(octets.count.bytes): \(least == most ? "\(least)" : "\(least)...\(most)") are needed")
    } catch {
      refuse(place, "\(error)")
    }
    return nil
  }

  /// Reads one data object of a list, for `list(_:_:)`; nil when it is wrong. See `dataObjects(_:lengths:)`.
  ///
  /// - Parameter place: The place of the element, such as `data[1]`.
  public mutating func dataObject(
    _ element: JSONValue, at place: String, lengths: [Tag: ClosedRange<Int>] = [:]
  ) -> TLVNode? {
    guard let text = element.text else {
      refuse(place, "text is needed, not \(element.kind)")
      return nil
    }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let raw = UInt32(parts[0], radix: 16), Tag(rawValue: raw).isWellFormed else {
      // The text is not quoted: it may be an account number.
      refuse(place, "the text must start with a tag of 2, 4 or 6 hexadecimal digits and a space")
      return nil
    }
    let tag = Tag(rawValue: raw)
    guard !tag.isConstructed else {
      refuse(place, "tag \(tag) is a template: give the data objects in it")
      return nil
    }
    let counts = lengths[tag] ?? DataElement.named(tag)?.lengths ?? 0...252
    return octets(String(parts[1]), at: place, counts).map { TLVNode(tag, $0) }
  }
}

public import ISO7816
public import Octets

/// A data object list (DOL): the data elements that the card requires, and their lengths; the command carries the
/// values without tags (EMV 4.4 Book 3, section 5.4).
public struct DataObjectList: Hashable, Sendable {
  /// The reason why bytes are not a DOL.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence with the reason and the offset.
    public let description: String
  }

  /// One required data element.
  public struct Entry: Hashable, Sendable {
    /// Its tag.
    public let tag: Tag
    /// Its length in the list of values, in bytes.
    public let count: Int

    /// Creates an entry.
    public init(tag: Tag, count: Int) {
      self.tag = tag
      self.count = count
    }
  }

  /// The required data elements in order; a tag may occur more than once.
  public let entries: [Entry]
  /// The number of bytes of all values together.
  public let valueCount: Int

  /// Creates a list.
  public init(entries: [Entry]) {
    self.entries = entries
    valueCount = entries.reduce(0) { $0 + $1.count }
  }

  /// Reads a list.
  ///
  /// - Throws: `Fault` for a tag that is malformed, and an entry that is cut off.
  public init(parsing octets: [UInt8]) throws(Fault) {
    var entries: [Entry] = []
    var offset = 0
    while offset < octets.count {
      guard let tag = Tag(prefixOf: octets[offset...]), offset + tag.octetCount < octets.count else {
        throw Fault(description: "the data object list is cut off or malformed at offset \(offset)")
      }
      offset += tag.octetCount
      // A length is one byte, 0 to 255; it is not coded as in BER-TLV.
      entries.append(Entry(tag: tag, count: Int(octets[offset])))
      offset += 1
    }
    self.init(entries: entries)
  }

  /// The bytes of the list.
  public var encoded: [UInt8] { entries.flatMap { $0.tag.encoded + [UInt8(truncatingIfNeeded: $0.count)] } }

  /// Returns the place of the value of the first entry with a tag in the list of values, or nil.
  public func range(of tag: Tag) -> Range<Int>? {
    var offset = 0
    for entry in entries {
      if entry.tag == tag { return offset..<offset + entry.count }
      offset += entry.count
    }
    return nil
  }

  /// The values, fitted to the lengths of the list. Templates and unknown tags give zeros.
  public func values(from source: some DataObjectSource) -> [UInt8] {
    var values = [UInt8](repeating: 0, count: valueCount)
    values.withMutableOctets { write(into: &$0, from: source) }
    return values
  }

  /// The values, fitted to the lengths of the list.
  ///
  /// - Parameter source: Returns the value of a tag, or nil. Templates and unknown tags give zeros.
  public func values(from source: (Tag) -> [UInt8]?) -> [UInt8] {
    withoutActuallyEscaping(source) { values(from: ValueFunction(find: $0)) }
  }

  /// Writes the values, fitted to the lengths of the list. Templates and unknown tags give zeros. Allocates nothing when
  /// all values have the lengths of the list and the source copies them itself.
  ///
  /// - Parameter octets: Room for `valueCount` bytes; less traps.
  @inlinable
  public func write(into octets: inout MutableRawSpan, from source: some DataObjectSource) {
    var offset = 0
    for entry in entries {
      if entry.tag.isConstructed || !source.copyValue(of: entry, to: offset, in: &octets) {
        octets.copy(Self.fitted(source, to: entry).span, to: offset)
      }
      offset &+= entry.count
    }
  }

  @inline(never)
  @usableFromInline
  static func fitted(_ source: some DataObjectSource, to entry: Entry) -> [UInt8] {
    let value = entry.tag.isConstructed ? nil : source.value(of: entry.tag)
    return fit(value ?? [], to: entry.count, DataElement.named(entry.tag)?.format ?? .binary)
  }

  /// The tags and values in a list of values, for people and for replay; it ends before a value that is cut off.
  public func split(_ values: [UInt8]) -> [(tag: Tag, value: [UInt8])] {
    var found: [(tag: Tag, value: [UInt8])] = []
    var offset = 0
    for entry in entries {
      guard offset + entry.count <= values.count else { break }
      found.append((entry.tag, Array(values[offset..<offset + entry.count])))
      offset += entry.count
    }
    return found
  }

  /// Too long: numeric keeps the right end, others the left. Too short: `n` gets leading zeros, `cn` trailing F,
  /// others trailing zeros (EMV 4.4 Book 3, section 5.4).
  static func fit(_ value: [UInt8], to count: Int, _ format: DataElement.Format) -> [UInt8] {
    if value.isEmpty { return [UInt8](repeating: 0, count: count) }
    if value.count >= count { return Array(format == .numeric ? value.suffix(count) : value.prefix(count)) }
    let missing = count - value.count
    switch format {
    case .numeric: return [UInt8](repeating: 0, count: missing) + value
    case .compressedNumeric: return value + [UInt8](repeating: 0xFF, count: missing)
    default: return value + [UInt8](repeating: 0, count: missing)
    }
  }
}

public import ISO7816

/// Data elements of the terminal: at most one value for each tag.
public struct TerminalData: Hashable, Sendable {
  private var values: [Tag: [UInt8]]

  /// Creates the data.
  public init(_ values: [Tag: [UInt8]] = [:]) { self.values = values }

  /// The value of a tag, or nil. Setting nil removes the tag.
  public subscript(tag: Tag) -> [UInt8]? {
    get { values[tag] }
    set { values[tag] = newValue }
  }

  /// Takes over all values of other data; they replace values of the same tag.
  public mutating func merge(_ other: TerminalData) { values.merge(other.values) { _, new in new } }
}

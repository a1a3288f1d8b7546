public import ISO7816
internal import Octets

/// Where the values of a data object list come from.
public protocol DataObjectSource {
  /// The value of a tag, or nil.
  func value(of tag: Tag) -> [UInt8]?

  /// Copies the value of an entry's tag when it has exactly the entry's length, as most values have. There is a default
  /// implementation; a source with its own needs no copy of the value.
  ///
  /// - Parameters:
  ///   - offset: The place of the value; there is room for the entry.
  ///   - octets: The values of the list.
  /// - Returns: Whether the value was copied. Otherwise nothing is written.
  func copyValue(of entry: DataObjectList.Entry, to offset: Int, in octets: inout MutableRawSpan) -> Bool
}

extension DataObjectSource {
  /// Copies the value of an entry's tag when it has exactly the entry's length.
  public func copyValue(of entry: DataObjectList.Entry, to offset: Int, in octets: inout MutableRawSpan) -> Bool {
    guard let value = value(of: entry.tag), value.count == entry.count else { return false }
    octets.copy(value.span, to: offset)
    return true
  }
}

/// A function as a source.
struct ValueFunction: DataObjectSource {
  let find: (Tag) -> [UInt8]?

  func value(of tag: Tag) -> [UInt8]? { find(tag) }
}

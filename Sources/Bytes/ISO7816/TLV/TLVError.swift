/// The reason why bytes are not a sequence of BER-TLV data objects.
public struct TLVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Equatable, Sendable {
    /// The input ends inside a tag.
    case truncatedTag
    /// A tag of more than three bytes.
    case tagTooLong(limit: Int)
    /// The input ends before or inside a length.
    case truncatedLength
    /// A length of more than four bytes.
    case lengthTooLong(octets: Int, limit: Int)
    /// The indefinite form (80), which EMV does not use.
    case indefiniteLength
    /// A length has more bytes than it needs, but the rules require the shortest form.
    case nonMinimalLength
    /// A value is longer than the rest of the input.
    case valueTooLong(stated: Int, available: Int)
    /// Padding (00 or FF) occurs between data objects, but the rules do not permit it.
    case padding(UInt8)
    /// Templates are nested too deep.
    case tooDeep(limit: Int)
  }

  /// The kind of error.
  public let code: Code
  /// The offset of the error from the start of the input.
  public let offset: Int

  /// Creates an error at an offset.
  @inline(never)
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// A sentence with the position, the value and the limit.
  public var description: String {
    switch code {
    case .truncatedTag: "the input ends inside the tag at offset \(offset)"
    case .tagTooLong(let limit): "the tag at offset \(offset) has more than \(limit) bytes"
    case .truncatedLength: "the input ends inside the length at offset \(offset)"
    case .lengthTooLong(let octets, let limit):
      "the length at offset \(offset) has \(octets) bytes: the limit is \(limit)"
    case .indefiniteLength: "the length at offset \(offset) is of the indefinite form, which EMV does not use"
    case .nonMinimalLength: "the length at offset \(offset) is not in its shortest form"
    case .valueTooLong(let stated, let available):
      "the length at offset \(offset) states \(stated) bytes, but \(available) are left"
    case .padding(let octet): "padding (\(octet == 0 ? "00" : "FF")) at offset \(offset)"
    case .tooDeep(let limit): "the template at offset \(offset) is nested deeper than \(limit) levels"
    }
  }
}

public import ISO7816

/// The dictionary entry of a data element: name, format, length, templates, source (EMV 4.4 Book 3, annex A).
public struct DataElement: Sendable {
  /// The format of a value (EMV 4.4 Book 3, section 4.3).
  public enum Format: String, Sendable {
    /// Binary.
    case binary = "b"
    /// Numeric: decimal digits, right-justified with leading zeros.
    case numeric = "n"
    /// Compressed numeric: decimal digits, left-justified with trailing F.
    case compressedNumeric = "cn"
    /// Letters.
    case alphabetic = "a"
    /// Alphanumeric text.
    case alphanumeric = "an"
    /// Alphanumeric and special characters.
    case special = "ans"
    /// A template of other data elements.
    case template = "var."
  }

  /// The source of the value.
  public enum Source: String, Sendable {
    /// The card.
    case card
    /// The terminal.
    case terminal
    /// The issuer.
    case issuer
  }

  /// The tag.
  public let tag: Tag
  /// The name in the EMV books.
  public let name: String
  /// The format of the value.
  public let format: Format
  /// The permitted lengths of the value, in bytes.
  public let lengths: ClosedRange<Int>
  /// The source of the value.
  public let source: Source
  /// The document that defines the element with its annex or section, or a note that no public document does.
  public let reference: String

  /// Whether the value identifies the cardholder: account number, track data, name, bank account. Never logged
  /// in clear.
  public var isCardholderData: Bool {
    // For American Express, 9F5B is a membership number; for Mastercard, it is a list of tags.
    Self.cardholderData.contains(tag) && !(tag == 0x9F5B && format == .binary)
  }

  // 56 and 9F6B are the mag-stripe tracks of kernel 2; 9F1F and 9F20 hold the discretionary data of the tracks.
  private static let cardholderData: Set<Tag> = [
    0x56, 0x57, 0x5A, 0x5F20, 0x5F53, 0x9F0B, 0x9F1F, 0x9F20, 0x9F25, 0x9F5B, 0x9F6B, 0xDF4F, 0xDF812A, 0xDF812B,
  ]

  /// Returns the entry of a tag, or nil when the dictionary does not have it.
  ///
  /// - Parameter kernel: The kernel whose definition of the tag applies; nil for the definition of the EMV books.
  public static func named(_ tag: Tag, kernel: ContactlessKernel? = nil) -> DataElement? {
    kernel.flatMap { kernelElements[$0]?[tag] } ?? dictionary[tag]
  }

  /// All entries that are common to all kernels, by tag.
  public static var all: [DataElement] { dictionary.values.sorted { $0.tag < $1.tag } }

  /// Returns the entries that only a kernel has, by tag.
  public static func all(of kernel: ContactlessKernel) -> [DataElement] {
    (kernelElements[kernel] ?? [:]).values.sorted { $0.tag < $1.tag }
  }

  static let dictionary: [Tag: DataElement] = Dictionary(
    uniqueKeysWithValues: everyElement.map { ($0.tag, $0) })

  static let everyElement =
    coreElements + transactionElements + contactlessElements + kernel2Elements + kernel8Elements

  init(
    _ tag: Tag, _ name: String, _ format: Format, _ lengths: ClosedRange<Int>, _ source: Source, _ reference: String
  ) {
    self.tag = tag
    self.name = name
    self.format = format
    self.lengths = lengths
    self.source = source
    self.reference = reference
  }
}

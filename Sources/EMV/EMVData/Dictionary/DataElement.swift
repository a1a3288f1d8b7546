public import ISO7816

/// What the books say of a data element: name, format, length, templates, source (EMV 4.4 Book 3, annex A).
public struct DataElement: Sendable {
  /// How a value is written (EMV 4.4 Book 3, section 4.3).
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

  /// Where the value comes from.
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
  /// The name in the books.
  public let name: String
  /// How the value is written.
  public let format: Format
  /// The lengths a value can have, in octets.
  public let lengths: ClosedRange<Int>
  /// Where the value comes from.
  public let source: Source
  /// The document that defines it, with its annex or section, or that none is public.
  public let reference: String

  /// Whether the value tells who the cardholder is: account number, track data, name, bank account. Never logged
  /// in clear.
  public var isCardholderData: Bool {
    // 9F5B is a membership number to American Express, and a list of tags to Mastercard.
    Self.cardholderData.contains(tag) && !(tag == 0x9F5B && format == .binary)
  }

  // 56 and 9F6B are the mag-stripe tracks of kernel 2; 9F1F and 9F20 carry what the issuer put on the tracks.
  private static let cardholderData: Set<Tag> = [
    0x56, 0x57, 0x5A, 0x5F20, 0x5F53, 0x9F0B, 0x9F1F, 0x9F20, 0x9F25, 0x9F5B, 0x9F6B, 0xDF4F, 0xDF812A, 0xDF812B,
  ]

  /// The entry for a tag, or nil when no dictionary here knows it.
  ///
  /// - Parameter kernel: Whose meaning counts where kernels give a tag meanings of their own; nil for the books' own.
  public static func named(_ tag: Tag, kernel: ContactlessKernel? = nil) -> DataElement? {
    kernel.flatMap { kernelElements[$0]?[tag] } ?? dictionary[tag]
  }

  /// All entries that are the same to every kernel, by tag.
  public static var all: [DataElement] { dictionary.values.sorted { $0.tag < $1.tag } }

  /// The entries that a kernel has of its own, by tag.
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

internal import Octets

/// The data groupings that personalise one application, as an issuer's data preparation writes them
/// (EMV Card Personalization Specification 1.1, section 2 and annex A).
///
/// The content is binary, or text: hexadecimal digits with white space anywhere between bytes and `#` comments to the
/// end of a line. A comment that begins with `#@` gives a value that no data grouping has; other readers skip it:
///
/// ```
/// #@ aid A0000000031010        the application identifier, when 9102 and 9103 hold no tag 84
/// #@ name Visa wallet card     the name for people; tag 50 when left out
/// #@ uses 100                  the number of payments of a key; 10 when left out
/// #@ first-atc 1               the first transaction counter; 1 when left out
/// ```
///
/// The data of secret groupings are dropped while they are read: keys come from the issuer.
public struct PersonalisationFile: Hashable, Sendable {
  /// The largest file that is read, in bytes: 256 KiB.
  public static let maximumCount = 262_144
  /// The most data groupings of a file.
  public static let maximumGroupings = 256

  /// The names of lines with `#@`.
  public enum Directive: String, CaseIterable, Sendable {
    /// The application identifier.
    case aid
    /// The name for people.
    case name
    /// The number of payments of a key.
    case uses
    /// The first transaction counter.
    case firstATC = "first-atc"
  }

  /// The data groupings, in the order of the file.
  public let groupings: [DataGrouping]
  /// The values of the lines with `#@`.
  public let directives: [Directive: String]

  /// Creates a file.
  public init(_ groupings: [DataGrouping], directives: [Directive: String] = [:]) {
    self.groupings = groupings
    self.directives = directives
  }

  /// Reads a text or binary file.
  ///
  /// - Throws: `PersonalisationError` with the place of the first problem.
  public init(parsing octets: [UInt8]) throws(PersonalisationError) {
    guard octets.count <= Self.maximumCount else {
      throw PersonalisationError("the file has \(octets.count.bytes): the limit is \(Self.maximumCount)", at: 0)
    }
    if Self.isText(octets) {
      let text = try PersonalisationText(String(decoding: octets, as: UTF8.self))
      try self.init(text.octets, text.directives)
    } else {
      try self.init(octets, [:])
    }
  }

  private init(_ octets: [UInt8], _ directives: [Directive: String]) throws(PersonalisationError) {
    var groupings: [DataGrouping] = []
    var cursor = Cursor(octets.span)
    while !cursor.isAtEnd {
      guard groupings.count < Self.maximumGroupings else {
        throw PersonalisationError(
          "there are more data groupings: the limit is \(Self.maximumGroupings)", at: cursor.position)
      }
      groupings.append(try DataGrouping.read(&cursor))
    }
    guard !groupings.isEmpty else { throw PersonalisationError("no data groupings", at: 0) }
    self.init(groupings, directives: directives)
  }

  /// Whether bytes are not the JSON of a profile, by the first byte that is not white space.
  public static func recognises(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && first != UInt8(ascii: "\"")
  }

  /// Whether the content is text: it begins with a hexadecimal digit, a comment or white space and has only printable
  /// characters. Binary content begins with the identifier of a record (01...1E) or with 80 or above.
  private static func isText(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first, first == UInt8(ascii: "#") || first < 0x7F else { return false }
    return octets.prefix(256).allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
  }
}

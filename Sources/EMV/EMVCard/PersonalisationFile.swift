internal import Octets

/// The data groupings that personalise one application, as an issuer's data preparation writes them
/// (EMV Card Personalization Specification 1.1, section 2 and annex A).
///
/// The content is binary, or text: hexadecimal digits with white space anywhere between octets and `#` comments to the
/// end of a line. Comments that begin with `#@` name what no data grouping says, and other readers pass over them:
///
/// ```
/// #@ aid A0000000031010        the application identifier, when 9102 and 9103 hold no tag 84
/// #@ name Visa wallet card     the name for people; tag 50 when left out
/// #@ uses 100                  how many payments the key is good for; 10 when left out
/// #@ first-atc 1               the first transaction counter; 1 when left out
/// ```
///
/// Data of secret groupings are dropped where they are read: keys come from the issuer.
public struct PersonalisationFile: Hashable, Sendable {
  /// A file of more octets is refused unread: 256 KiB.
  public static let maximumCount = 262_144
  /// The most data groupings.
  public static let maximumGroupings = 256

  /// The names that a line with `#@` can have.
  public enum Directive: String, CaseIterable, Sendable {
    /// The application identifier.
    case aid
    /// The name for people.
    case name
    /// How many payments the key is good for.
    case uses
    /// The first transaction counter.
    case firstATC = "first-atc"
  }

  /// The data groupings, in the order of the file.
  public let groupings: [DataGrouping]
  /// What the lines with `#@` say.
  public let directives: [Directive: String]

  /// Makes a file of data groupings.
  public init(_ groupings: [DataGrouping], directives: [Directive: String] = [:]) {
    self.groupings = groupings
    self.directives = directives
  }

  /// Reads a file, text or binary.
  ///
  /// - Throws: `PersonalisationError` with the place of the first fault.
  public init(parsing octets: [UInt8]) throws(PersonalisationError) {
    guard octets.count <= Self.maximumCount else {
      throw PersonalisationError("the file has \(octets.count) octets: the limit is \(Self.maximumCount)", at: 0)
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
          "more data groupings follow: the limit is \(Self.maximumGroupings)", at: cursor.position)
      }
      groupings.append(try DataGrouping.read(&cursor))
    }
    guard !groupings.isEmpty else { throw PersonalisationError("no data groupings", at: 0) }
    self.init(groupings, directives: directives)
  }

  /// The binary content. Traps when the data of a secret grouping were dropped.
  public var encoded: [UInt8] { groupings.flatMap(\.encoded) }

  /// Whether octets are anything but the JSON of a profile, by their first octet that is no white space.
  public static func recognises(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && first != UInt8(ascii: "\"")
  }

  /// Text begins with a hexadecimal digit, a comment or white space and has no octet outside printable text; binary
  /// content begins with a record's identifier (01...1E), or 80 and above.
  private static func isText(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first, first == UInt8(ascii: "#") || first < 0x7F else { return false }
    return octets.prefix(256).allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
  }
}

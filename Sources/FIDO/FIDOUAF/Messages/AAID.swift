public import Documents
internal import JOSE
public import JSON

/// An authenticator attestation identifier (FIDO UAF Protocol Specification 1.1, section 3.1.4): four hexadecimal digits for
/// the vendor, `#`, four for the model. Digits compare without regard to case.
public struct AAID: MessageValue, Hashable, CustomStringConvertible {
  /// The identifier with upper-case digits, 9 characters.
  public let description: String

  /// Creates an identifier. Nil when the text does not have the form `F1D0#1001`.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(Self.isHexadecimal) }) else { return nil }
    description = text.uppercased()
  }

  /// The vendor, the first four digits.
  public var vendorID: String { String(description.prefix(4)) }

  /// The bytes in an assertion, 9 characters of ASCII.
  public var octets: [UInt8] { Array(description.utf8) }

  private static func isHexadecimal(_ character: UInt8) -> Bool {
    Character(Unicode.Scalar(character)).isHexDigit && character < 0x80
  }

  /// Reads an identifier.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    guard let aaid = AAID(try StrictReader.text(json, 9...9, at: path)) else {
      throw DocumentError(path, at: json.position, "must be four hexadecimal digits, #, four hexadecimal digits")
    }
    self = aaid
  }

  /// The identifier as JSON.
  public var json: JSONValue { JSONValue(description) }
}

/// A key identifier, unique among the keys of an AAID (FIDO UAF Protocol Specification 1.1, section 3.1.5).
public struct KeyID: MessageValue, Hashable {
  /// The sizes that a message may have, in bytes.
  public static let range = 32...2_048
  /// The bytes.
  public let octets: [UInt8]

  /// Creates an identifier. Nil unless it has 32 to 2048 bytes.
  public init?(_ octets: [UInt8]) {
    guard Self.range.contains(octets.count) else { return nil }
    self.octets = octets
  }

  /// Reads an identifier in base64url.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    octets = try StrictReader.octets(json, Self.range, at: path)
  }

  /// The identifier as JSON, in base64url.
  public var json: JSONValue { JSONValue(octets.base64URL) }
}

internal import Crypto
public import Documents
internal import JOSE
public import JSON

/// A form of a transaction that the user is asked to confirm (FIDO UAF Protocol Specification 1.1, section 3.5.2).
public struct Transaction: MessageValue, Hashable {
  /// What the content is.
  public enum ContentType: String, Hashable, Sendable {
    /// ASCII text of at most 200 characters.
    case text = "text/plain"
    /// An image.
    case image = "image/png"
  }

  /// The longest text, in characters.
  public static let maximumTextCount = 200
  /// The largest image that is read, in bytes. The specification sets no limit.
  public static let maximumImageCount = 1_048_576

  /// What the content is.
  public let contentType: ContentType
  /// The decoded content, at least one byte.
  public let content: [UInt8]
  /// The characteristics of the display for an image, unchanged; nil for text.
  public let imageCharacteristics: JSONValue?

  /// Creates a transaction with a text. Nil unless the text is ASCII and has 1 to 200 characters.
  public init?(text: String) {
    let octets = Array(text.utf8)
    guard (1...Self.maximumTextCount).contains(octets.count), octets.allSatisfy({ $0 < 0x80 }) else { return nil }
    contentType = .text
    content = octets
    imageCharacteristics = nil
  }

  /// The text, or nil for an image.
  public var text: String? { contentType == .text ? String(decoding: content, as: UTF8.self) : nil }

  /// The hash that an assertion contains: SHA-256 over the decoded content.
  public var hash: [UInt8] { [UInt8](SHA256.hash(data: content)) }

  /// Reads a transaction.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    guard let type = ContentType(rawValue: try reader.text("contentType", 1...64)) else {
      throw reader.error("contentType", "must be text/plain or image/png")
    }
    contentType = type
    content = try reader.octets("content", 1...Self.maximumImageCount)
    imageCharacteristics = json["tcDisplayPNGCharacteristics"]
    switch type {
    case .text:
      guard content.count <= Self.maximumTextCount, content.allSatisfy({ $0 < 0x80 }) else {
        throw reader.error("content", "must be ASCII text of at most \(Self.maximumTextCount) characters")
      }
    case .image:
      guard imageCharacteristics != nil else {
        throw reader.error("tcDisplayPNGCharacteristics", "is required for image/png")
      }
    }
  }

  /// The transaction as JSON.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("contentType", JSONValue(contentType.rawValue)), ("content", JSONValue(content.base64URL)),
    ]
    if let imageCharacteristics { members.append(("tcDisplayPNGCharacteristics", imageCharacteristics)) }
    return JSONValue(members: members)
  }
}

internal import JOSE
public import JSON

/// An extension of a message (FIDO UAF Protocol Specification 1.1, section 3.1.3).
public struct UAFExtension: Hashable, Sendable {
  /// The name of the extension, 1 to 32 characters.
  public let identifier: String
  /// The data of the extension; may be empty.
  public let data: String
  /// Whether a receiver that does not implement the extension must fail.
  public let failsIfUnknown: Bool

  /// Creates an extension.
  public init(identifier: String, data: String, failsIfUnknown: Bool) {
    (self.identifier, self.data, self.failsIfUnknown) = (identifier, data, failsIfUnknown)
  }

  /// The longest data that are read, in characters. The specification sets no limit.
  static let maximumDataCount = 65_536

  init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    identifier = try reader.text("id", 1...32)
    data = try reader.text("data", 0...Self.maximumDataCount)
    failsIfUnknown = try reader.flag("fail_if_unknown")
  }

  /// The extension as JSON.
  public var json: JSONValue {
    ["id": JSONValue(identifier), "data": JSONValue(data), "fail_if_unknown": JSONValue(failsIfUnknown)]
  }
}

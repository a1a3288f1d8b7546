public import Documents

/// An extension of a message (FIDO UAF Protocol Specification 1.1, section 3.1.3).
public struct UAFExtension: JSONMessage, Hashable {
  /// The name of the extension, 1 to 32 characters.
  public let identifier: String
  /// The data of the extension; may be empty.
  public let data: String
  /// Whether a receiver that does not implement the extension must fail.
  public let failsIfUnknown: Bool

  /// The longest data that are read, in characters. The specification sets no limit.
  static let maximumDataCount = 65_536

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(identifier:data:failsIfUnknown:),
    .text("id", \.identifier, 1...32),
    .text("data", \.data, 0...maximumDataCount),
    .flag("fail_if_unknown", \.failsIfUnknown))
}

public import Documents
internal import JOSE
public import JSON
internal import Octets

/// What a QR code, a link or a push message contains: where a token is redeemed, plain or encrypted for one device.
public struct OutOfBandPayload: MessageValue, Hashable {
  /// A token and where it is redeemed.
  public struct RedeemData: JSONMessage, Hashable {
    /// The token, 1 to 256 characters.
    public let token: String
    /// The URL, 1 to 2048 characters. The reader checks that it is https and of its server.
    public let redeemURL: String

    /// The members of the object.
    public static let fields = MessageTable(
      Self.init(token:redeemURL:),
      .text("token", \.token, 1...256),
      .text("redeem_url", \.redeemURL, 1...2_048))

    /// Creates data.
    public init(token: String, redeemURL: String) { (self.token, self.redeemURL) = (token, redeemURL) }
  }

  /// The content.
  public enum Content: Hashable, Sendable {
    /// Readable by anyone.
    case plain(RedeemData)
    /// A JWE in compact serialization, whose content is the JSON of `RedeemData`.
    case encrypted(String)
  }

  /// The only version of the payload.
  public static let version = "1"
  /// The largest payload that is read, in bytes.
  public static let maximumCount = 16_384
  /// The parameter of a link whose value is the payload in base64url.
  public static let linkParameter = "dispatchTokenResponse"

  /// The content.
  public let content: Content

  /// Creates a payload.
  public init(_ content: Content) { self.content = content }

  /// Reads a payload from JSON.
  ///
  /// - Throws: `DocumentError`, also for another version.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    let version = try reader.text("nma_data_version", 1...16)
    guard version == Self.version else { throw reader.error("nma_data_version", "must be \(Self.version)") }
    switch try reader.text("nma_data_content_type", 1...64) {
    case MediaType.json:
      content = .plain(try reader.value("nma_data", RedeemData.init(_:at:)))
    case MediaType.jose: content = .encrypted(try reader.text("nma_data", 1...Self.maximumCount))
    default:
      throw reader.error("nma_data_content_type", "must be \(MediaType.json) or \(MediaType.jose)")
    }
  }

  /// Reads a payload from the text of a QR code or of the parameter of a link: JSON in base64url.
  ///
  /// - Throws: `DocumentError`.
  public init(base64URL text: String) throws(DocumentError) {
    guard text.utf8.count <= Self.maximumCount * 2 else {
      throw DocumentError("$", "\(text.utf8.count.counted("character")): at most \(Self.maximumCount * 2) are read")
    }
    let octets = try StrictReader.octets(JSONValue(text), 0...Self.maximumCount * 2, at: "$")
    try self.init(JSONValue(message: octets))
  }

  /// The payload as JSON.
  public var json: JSONValue {
    let (data, type): (JSONValue, String) =
      switch content {
      case .plain(let data): (data.json, MediaType.json)
      case .encrypted(let text): (JSONValue(text), MediaType.jose)
      }
    return [
      "nma_data": data, "nma_data_content_type": JSONValue(type), "nma_data_version": JSONValue(Self.version),
    ]
  }

  /// The text of a QR code and of the parameter of a link.
  public var base64URL: String { Array(json.compact.utf8).base64URL }
}

public import FIDOUAF
public import JSON

/// The versions of the client that the server serves, and where the latest is.
public struct ClientVersions: Hashable, Sendable {
  /// The lowest version that may still be used, such as `1.0.0`.
  public var minimum: String
  /// The latest version.
  public var latest: String
  /// Where the latest version is: an https URL.
  public var url: String

  /// Creates a body.
  public init(minimum: String, latest: String, url: String) {
    (self.minimum, self.latest, self.url) = (minimum, latest, url)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) {
    let reader = try DictionaryReader(json)
    minimum = try reader.text("minimum", 1...64)
    latest = try reader.text("latest", 1...64)
    url = try reader.text("url", 1...2_048)
  }

  /// The body as JSON.
  public var json: JSONValue {
    ["minimum": JSONValue(minimum), "latest": JSONValue(latest), "url": JSONValue(url)]
  }
}

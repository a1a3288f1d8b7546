/// The versions of the client that the server serves, and where the latest is.
public struct ClientVersions: JSONMessage, Hashable {
  /// The lowest version that may still be used, such as `1.0.0`.
  public var minimum: String
  /// The latest version.
  public var latest: String
  /// Where the latest version is: an https URL.
  public var url: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(minimum:latest:url:),
    .text("minimum", \.minimum, 1...64),
    .text("latest", \.latest, 1...64),
    .text("url", \.url, 1...2_048))

  /// Creates a body.
  public init(minimum: String, latest: String, url: String) {
    (self.minimum, self.latest, self.url) = (minimum, latest, url)
  }
}

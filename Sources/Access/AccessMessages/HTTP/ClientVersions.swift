public import Documents
internal import JSON

/// The versions of the client that the server serves, and where the latest is.
public struct ClientVersions: JSONMessage, Hashable {
  /// The header of a response that states the versions, as JSON. A server that serves all versions leaves it out.
  public static let headerName = "Client-Versions"

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

  /// Reads the header of a response; nil without one, and for one of another form.
  public init?(in fields: [HTTPField]) {
    guard let text = fields.value(Self.headerName), let json = try? JSONValue(parsing: Array(text.utf8)),
      let versions = try? Self(json)
    else { return nil }
    self = versions
  }

  /// Returns whether a version is served. A lowest version that is no version excludes none.
  public func serves(_ version: DottedVersion) -> Bool { DottedVersion(minimum).map { version >= $0 } ?? true }

  /// Why a version below the lowest goes no further, and what to do.
  public var refusal: String {
    "the server serves version \(minimum) and later; version \(latest) is at \(url)"
  }
}

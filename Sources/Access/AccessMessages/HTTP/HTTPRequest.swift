/// A field of a header. Names compare without regard to case (RFC 9110, section 5.1).
public struct HTTPField: Hashable, Sendable {
  /// The name, as it is written.
  public let name: String
  /// The value.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

extension [HTTPField] {
  /// The values of all fields of a name, in their order.
  public func values(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// The value of the first field of a name, or nil.
  public func value(_ name: String) -> String? { values(name).first }
}

/// A request of the client.
public struct HTTPRequest: Hashable, Sendable {
  /// The method.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// Reads a resource.
    case get = "GET"
    /// Sends a message.
    case post = "POST"
    /// Changes a resource.
    case patch = "PATCH"
    /// Removes a resource.
    case delete = "DELETE"
  }

  /// The method.
  public var method: Method
  /// The absolute URL, with the scheme https.
  public var url: String
  /// The header, without `Host` and `Content-Length`, which the implementation sets.
  public var fields: [HTTPField]
  /// The body; empty for none.
  public var body: [UInt8]
  /// The limits.
  public var limits: HTTPLimits

  /// Creates a request.
  public init(
    _ method: Method, _ url: String, fields: [HTTPField] = [], body: [UInt8] = [], limits: HTTPLimits = HTTPLimits()
  ) {
    (self.method, self.url, self.fields) = (method, url, fields)
    (self.body, self.limits) = (body, limits)
  }
}

/// A response of the server.
public struct HTTPResponse: Hashable, Sendable {
  /// The status code, 100 to 599.
  public var status: Int
  /// The header.
  public var fields: [HTTPField]
  /// The body; empty for none.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, fields: [HTTPField] = [], body: [UInt8] = []) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }
}

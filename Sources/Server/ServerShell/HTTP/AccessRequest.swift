internal import Foundation

/// A request as the server reads it, independent of the HTTP library.
public struct AccessRequest: Sendable {
  /// The largest body that is read, in bytes: 256 KiB.
  public static let maximumBodyCount = 262_144

  /// The method in upper case.
  public var method: String
  /// The path and the query as they were sent, with percent encoding.
  public var target: String
  /// The headers with names in lower case.
  public var headers: [(name: String, value: String)]
  /// The body; nil when it is larger than `maximumBodyCount`.
  public var body: [UInt8]?
  /// The address of the client.
  public var address: String

  /// Creates a request.
  public init(
    _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = [],
    address: String
  ) {
    (self.method, self.target, self.headers) = (method, target, headers)
    (self.body, self.address) = (body, address)
  }

  /// The values of a header, joined with commas (RFC 9110, section 5.3); nil without the header.
  public func header(_ name: String) -> String? {
    let name = name.lowercased()
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ",")
  }

  /// The value of a cookie (RFC 6265, section 4.2.1); the first one of the name, nil without it.
  package func cookie(_ name: String) -> String? {
    let cookies = header("cookie")?.split(whereSeparator: { ";,".contains($0) }) ?? []
    let prefix = name + "="
    return cookies.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }
}

/// The target of a request, decoded.
package struct RequestTarget: Hashable {
  /// The components of the path. A trailing slash does not count.
  package let components: [String]
  /// The parameters of the query; the first one of each name counts.
  package let query: [String: String]

  /// Reads a target. Nil for wrong percent encoding, for bytes that are not UTF-8, and for U+0000.
  package init?(_ target: String) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].hasPrefix("/") else { return nil }
    var path = parts[0].dropFirst()
    if path.hasSuffix("/") { path = path.dropLast() }
    // The root has no component; any other empty one is a component that no route has.
    let components =
      parts[0] == "/" ? [] : path.split(separator: "/", omittingEmptySubsequences: false).map { Self.decoded($0) }
    guard !components.contains(nil) else { return nil }
    self.components = components.compactMap { $0 }
    guard let query = Self.fields(of: parts.count == 2 ? parts[1] : "") else { return nil }
    self.query = query
  }

  /// The fields of a query or a form; the first one of each name counts. Nil for wrong percent encoding, for bytes that
  /// are not UTF-8, and for U+0000.
  package static func fields(of text: Substring) -> [String: String]? {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = sides.count == 2 ? sides[1] : ""
      guard let name = decoded(sides[0]), let value = decoded(Substring(value.replacing("+", with: " ")))
      else { return nil }
      fields[name] = fields[name] ?? value
    }
    return fields
  }

  private static func decoded(_ text: Substring) -> String? {
    text.removingPercentEncoding.flatMap { $0.utf8.contains(0) ? nil : $0 }
  }
}

internal import AccessMessages
package import JSON
internal import Octets
package import ServerStore

/// The body that a request must have.
package enum RequestBody: Sendable {
  case none
  /// JSON of a media type.
  case json(String)
  /// A JWS in compact serialization.
  case jose
  /// The fields of a form.
  case form
}

/// A path with a method, the media types of its bodies, and what answers it.
package struct Route<Service: Sendable>: Sendable {
  package let method: String
  /// The method and the path with `*` for each argument, for logs and metrics.
  package let name: String
  /// What its rules do with the store.
  package let access: StoreAccess
  /// The components of the path. `*` stands for any component, which becomes an argument.
  package let pattern: [String]
  package let body: RequestBody
  /// The media types of the response of which the client must accept one; empty when it has no body.
  package let produces: [String]
  package let respond: @Sendable (Service, Call) async throws -> AccessResponse
  /// Whether its rules run for the operator only.
  private(set) var isForOperator = false

  /// The route for the operator only.
  package var forOperator: Route<Service> {
    var route = self
    route.isForOperator = true
    return route
  }

  package init(
    _ method: String, _ path: String, _ access: StoreAccess = .write, body: RequestBody = .none,
    produces: [String] = [MediaType.json],
    _ respond: @escaping @Sendable (Service, Call) async throws -> AccessResponse
  ) {
    (self.method, self.access, self.body, self.produces, self.respond) = (method, access, body, produces, respond)
    pattern = path.split(separator: "/").map(String.init)
    name = "\(method) /\(pattern.joined(separator: "/"))"
  }

  /// The arguments of a path; nil when it is not that of the route.
  package func arguments(_ components: [String]) -> [String]? {
    guard components.count == pattern.count else { return nil }
    var arguments: [String] = []
    for (component, pattern) in zip(components, pattern) {
      if pattern == "*" {
        guard (1...128).contains(component.utf16.count) else { return nil }
        arguments.append(component)
      } else if component != pattern {
        return nil
      }
    }
    return arguments
  }
}

extension MediaType {
  /// The body of a form (HTML, section 4.10.21.7).
  package static let form = "application/x-www-form-urlencoded"
}

/// A request that a route answers.
package struct Call: Sendable {
  package let request: AccessRequest
  package let target: RequestTarget
  package let arguments: [String]
  /// The body as JSON; `null` for a route without a JSON body.
  package let json: JSONValue
  /// What the rules of the route do with the store.
  package var access = StoreAccess.write
  /// Whether the rules of the route run for the operator only.
  package var isForOperator = false

  /// The body of the request as text. For a route whose body is a JWS or a form.
  package var text: String { String(decoding: request.body ?? [], as: UTF8.self) }

  /// A parameter of the query whose length in characters is in a range; nil without the parameter.
  package func parameter(_ name: String, _ range: ClosedRange<Int>) throws(AccessError) -> String? {
    guard let value = target.query[name] else { return nil }
    guard range.contains(value.utf16.count) else {
      throw .refused(
        .malformed,
        "the parameter \(name) has \(value.utf16.count.counted("character")): \(range.lowerBound) to \(range.upperBound) are allowed"
      )
    }
    return value
  }

  /// Whether the client accepts a media type by name, not by a wildcard.
  package func asks(for type: String) -> Bool {
    request.header("accept").map { MediaType.header($0.lowercased(), names: type) } ?? false
  }
}

extension MediaType {
  /// Whether an `Accept` header names a type.
  fileprivate static func header(_ header: String, names type: String) -> Bool {
    header.split(separator: ",").contains { range in
      range.split(separator: ";").first.map { $0.filter { $0 != " " } == type } ?? false
    }
  }
}

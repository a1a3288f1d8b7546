internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import Octets
internal import ServerStore

/// A path with a method, the media types of its bodies, and what answers it.
struct Route: Sendable {
  /// The body that a request must have.
  enum Body: Sendable {
    case none
    /// JSON of a media type.
    case json(String)
    /// A JWS in compact serialization.
    case jose
    /// The fields of a form.
    case form
  }

  let method: String
  /// The method and the path with `*` for each argument, for logs and metrics.
  let name: String
  /// What its rules do with the store.
  let access: StoreAccess
  /// The components of the path. `*` stands for any component, which becomes an argument.
  let pattern: [String]
  let body: Body
  /// The media types of the response of which the client must accept one; empty when it has no body.
  let produces: [String]
  let respond: @Sendable (AccessService, Call) async throws -> AccessResponse
  /// Whether its rules run for the operator only.
  private(set) var isForOperator = false

  /// The route for the operator only.
  var forOperator: Route {
    var route = self
    route.isForOperator = true
    return route
  }

  init(
    _ method: String, _ path: String, _ access: StoreAccess = .write, body: Body = .none,
    produces: [String] = [MediaType.json],
    _ respond: @escaping @Sendable (AccessService, Call) async throws -> AccessResponse
  ) {
    (self.method, self.access, self.body, self.produces, self.respond) = (method, access, body, produces, respond)
    pattern = path.split(separator: "/").map(String.init)
    name = "\(method) /\(pattern.joined(separator: "/"))"
  }

  /// The arguments of a path; nil when it is not that of the route.
  func arguments(_ components: [String]) -> [String]? {
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

/// A request that a route answers.
struct Call: Sendable {
  let request: AccessRequest
  let target: RequestTarget
  let arguments: [String]
  /// The body as JSON; `null` for a route without a JSON body.
  let json: JSONValue
  let credentials: PresentedCredentials
  /// What the rules of the route do with the store.
  var access = StoreAccess.write
  /// Whether the rules of the route run for the operator only.
  var isForOperator = false

  /// The body of the request as text. For a route whose body is a JWS or a form.
  var text: String { String(decoding: request.body ?? [], as: UTF8.self) }

  /// Reads the body.
  ///
  /// - Parameter body: What is read in place of the JSON of the request: the fields of a form.
  /// - Throws: A refusal with code `malformed`, or `unusableKey` for the encryption key of a device.
  func body<Body>(
    _ read: (JSONValue) throws(DocumentError) -> Body, in body: JSONValue? = nil
  ) throws(AccessError) -> Body {
    do throws(DocumentError) {
      return try read(body ?? json)
    } catch {
      throw .refused(
        error.problems.allSatisfy { $0.path.hasSuffix("encryptionKey") } ? .unusableKey : .malformed, "\(error)")
    }
  }

  /// A parameter of the query whose length in characters is in a range; nil without the parameter.
  func parameter(_ name: String, _ range: ClosedRange<Int>) throws(AccessError) -> String? {
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
  func asks(for type: String) -> Bool {
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

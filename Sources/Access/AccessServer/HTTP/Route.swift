internal import AccessMessages
internal import FIDOUAF
internal import JSON
internal import Octets

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

  /// What a route does with the store.
  enum StoreAccess: Sendable {
    /// Its rules neither count, audit nor extend a session, so they need no writer. When a rule refuses a request with an
    /// effect, such as the count of a wrong token, the rules run again in a transaction that writes.
    case read
    /// Its rules change the store.
    case write
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
  var access = Route.StoreAccess.write

  /// The body of the request as text. For a route whose body is a JWS or a form.
  var text: String { String(decoding: request.body ?? [], as: UTF8.self) }

  /// The request as the rules of wallet access read it.
  var signed: SignedRequest {
    SignedRequest(
      method: request.method, target: request.target, body: request.body, signature: credentials.deviceSignature,
      token: credentials.token, address: request.address)
  }

  /// Reads the body.
  ///
  /// - Throws: `AccessFailure` with code `malformed`, or `unusableKey` for the encryption key of a device.
  func body<Body>(_ read: (JSONValue) throws(UAFMessageError) -> Body) throws(AccessFailure) -> Body {
    do throws(UAFMessageError) {
      return try read(json)
    } catch {
      throw AccessFailure(error.path.hasSuffix("encryptionKey") ? .unusableKey : .malformed, "\(error)")
    }
  }

  /// A parameter of the query whose length in characters is in a range; nil without the parameter.
  func parameter(_ name: String, _ range: ClosedRange<Int>) throws(AccessFailure) -> String? {
    guard let value = target.query[name] else { return nil }
    guard range.contains(value.utf16.count) else {
      throw AccessFailure(
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

extension AccessService {
  /// Runs the rules of a request in one transaction, which only reads if the route does.
  func decide<Value: Sendable>(
    _ call: Call, _ rule: @escaping @Sendable (Rules) throws -> Value
  ) async throws -> Value {
    guard call.access == .read else { return try await decide(from: call.request.address, rule) }
    do {
      return try await decide(from: call.request.address, in: .read, rule)
    } catch let error as AccessStoreError where error.code == .changeInRead {
      return try await decide(from: call.request.address, rule)
    }
  }
}

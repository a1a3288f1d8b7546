public import AccessMessages
package import JSON
internal import ServerStore

/// A response as the server makes it, independent of the HTTP library.
public struct AccessResponse: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The headers.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]
  /// Whether the connection is closed in the middle of the response: a fault that an operator asked for.
  public var isCut = false
  /// What logs and metrics report of the response. It is not sent.
  package var outcome = RequestOutcome()

  /// Creates a response.
  public init(_ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// Creates a response that refuses a request.
  public init(_ failure: AccessFailure) {
    self.init(failure.code.httpStatus, failure.json)
    outcome = RequestOutcome(failure)
    if failure.code == .unauthorized { headers.append((name: "www-authenticate", value: "Bearer")) }
    if failure.code == .tooManyFailures {
      headers.append((name: "retry-after", value: "\(failure.retryAfter ?? 300)"))
    }
  }

  /// Creates a response with JSON.
  package init(_ status: Int, _ json: JSONValue, type: String = MediaType.json) {
    self.init(
      status, headers: [(name: "content-type", value: MediaType.withCharacterSet(type))],
      body: Array(json.compact.utf8))
  }
}

extension AccessError {
  /// The refusal that a client gets. An error of a rule is an error of the server, and not of its store.
  package var failure: AccessFailure {
    switch self {
    case .refused(let failure): failure
    case .store(let error) where error.code != .ruleFailed:
      AccessFailure(.unavailable, "the store of the server is not available; try again")
    case .store: AccessFailure(.internalError, "an error of the server")
    }
  }
}

extension AccessFailure.Code {
  /// The HTTP status of a refusal with the code.
  public var httpStatus: Int {
    switch self {
    case .malformed: 400
    case .unauthorized, .replay, .clockSkew, .wrongCredentials, .deviceUnlinked: 401
    case .forbidden, .notLoggedIn, .notRegistered, .deviceInactive, .notAllowed: 403
    case .notFound: 404
    case .methodNotAllowed: 405
    case .notAcceptable: 406
    case .deviceLinked, .exists: 409
    case .tooLarge: 413
    case .unsupportedMediaType: 415
    case .nameInUse, .unknownDispatcher, .userNameInUse, .requirementsNotMet, .unusableKey: 422
    case .tooManyFailures: 429
    case .unavailable: 503
    default: 500
    }
  }
}

/// Answers requests: the service, or faults in front of it.
public protocol AccessResponding: Sendable {
  /// Answers a request. Every failure is a response.
  func respond(to request: AccessRequest) async -> AccessResponse

  /// The name of the route of a request, for logs and metrics; nil for a path or a method that there is not. A responder in front of
  /// another one passes on what that one returns.
  func routeName(of request: AccessRequest) -> String?
}

extension AccessResponding {
  /// No name: no path has a route.
  public func routeName(of request: AccessRequest) -> String? { nil }
}

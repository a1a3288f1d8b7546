public import Documents
public import JSON

/// The body of a response that refuses a request, except where a UAF status code says why.
public struct AccessFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why a request is refused. Open: a later server may have others.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name of the code.
    public let rawValue: String
    /// Creates a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 400: the body, the query or a header has the wrong form.
    public static let malformed = Code(rawValue: "malformed")
    /// 401: an authorization or a signature is missing, unknown, expired or wrong.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// 401: the request identifier of a signed request was used before.
    public static let replay = Code(rawValue: "replay")
    /// 401: the time in a signed request differs too much from the time of the server.
    public static let clockSkew = Code(rawValue: "clockSkew")
    /// 403: the user is unknown, or the device is deactivated.
    public static let forbidden = Code(rawValue: "forbidden")
    /// 404: the resource does not exist.
    public static let notFound = Code(rawValue: "notFound")
    /// 405: the path does not have this method.
    public static let methodNotAllowed = Code(rawValue: "methodNotAllowed")
    /// 406: the client does not accept the media type of the response.
    public static let notAcceptable = Code(rawValue: "notAcceptable")
    /// 413: the body is too large.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// 415: the media type of the body is wrong.
    public static let unsupportedMediaType = Code(rawValue: "unsupportedMediaType")
    /// 422: another device of the user has the name.
    public static let nameInUse = Code(rawValue: "nameInUse")
    /// 401: the user name, password, PIN, answer, nonce or token of a login or recovery is wrong, used or expired.
    public static let wrongCredentials = Code(rawValue: "wrongCredentials")
    /// 401: the PIN was wrong too often. The server has unlinked the device: the client deletes what it has of the wallet.
    public static let deviceUnlinked = Code(rawValue: "deviceUnlinked")
    /// 403: the request needs a session, and the token is missing, unknown, expired, or of another scope.
    public static let notLoggedIn = Code(rawValue: "notLoggedIn")
    /// 403: the request needs a device that is linked with a wallet.
    public static let notRegistered = Code(rawValue: "notRegistered")
    /// 403: the issuer has deactivated the device.
    public static let deviceInactive = Code(rawValue: "deviceInactive")
    /// 403: the issuer does not allow this way to log in.
    public static let notAllowed = Code(rawValue: "notAllowed")
    /// 409: a user has the name, or one that equals it after compatibility folding.
    public static let exists = Code(rawValue: "exists")
    /// 409: the device is linked with a wallet. It must be unlinked first.
    public static let deviceLinked = Code(rawValue: "deviceLinked")
    /// 422: another wallet has the user name.
    public static let userNameInUse = Code(rawValue: "userNameInUse")
    /// 422: the profile, or a new PIN or password, does not meet the requirements of the issuer.
    public static let requirementsNotMet = Code(rawValue: "requirementsNotMet")
    /// 422: the server does not have the dispatcher.
    public static let unknownDispatcher = Code(rawValue: "unknownDispatcher")
    /// 422: the server cannot encrypt with the key of the device: its type, curve, `use` or `alg` is another one.
    public static let unusableKey = Code(rawValue: "unusableKey")
    /// 429: too many failures; `Retry-After` says when to try again.
    public static let tooManyFailures = Code(rawValue: "tooManyFailures")
    /// 500: an error of the server.
    public static let internalError = Code(rawValue: "internalError")
    /// 503: the store of the server is not available.
    public static let unavailable = Code(rawValue: "unavailable")
  }

  /// Why the request is refused.
  public let code: Code
  /// A sentence for developers, without secrets.
  public let message: String
  /// How many wrong PINs the server still allows; nil for a refusal of something else.
  public let attemptsLeft: Int?
  /// After how many seconds the request may be repeated: the header `Retry-After`, not a part of the body; nil when it is
  /// unknown.
  public let retryAfter: Int?
  /// The secret that is locked since it was guessed too often: `password`, `answers`, `operator` or `pin`. For the metrics
  /// of a server, not a part of the body; nil for a refusal of something else.
  public let lockout: String?

  /// Creates a body.
  public init(
    _ code: Code, _ message: String, attemptsLeft: Int? = nil, retryAfter: Int? = nil, lockout: String? = nil
  ) {
    (self.code, self.message) = (code, message)
    (self.attemptsLeft, self.retryAfter, self.lockout) = (attemptsLeft, retryAfter, lockout)
  }

  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) {
    let reader = try StrictReader(json)
    code = Code(rawValue: try reader.text("code", 1...64))
    message = try reader.text("message", 0...4_096)
    attemptsLeft = try reader.optionalNumber("attemptsLeft", 0...1_000)
    (retryAfter, lockout) = (nil, nil)
  }

  /// The body as JSON.
  public var json: JSONValue { json(requestID: nil) }

  /// The body as JSON, with the identifier of the refused request, which is in the log of the server too.
  public func json(requestID: String?) -> JSONValue {
    JSONValue(members: [
      ("code", JSONValue(code.rawValue)), ("message", JSONValue(message)),
      ("attemptsLeft", attemptsLeft.map { JSONValue($0) }), ("requestId", requestID.map { JSONValue($0) }),
    ])
  }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }
}

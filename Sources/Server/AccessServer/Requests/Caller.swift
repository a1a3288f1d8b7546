internal import AccessMessages
internal import ServerShell
internal import ServerStore

/// The credentials that a request carries.
struct PresentedCredentials: Sendable {
  /// The token of `Authorization: Bearer`, or the value of the cookie of an authorization; nil without one.
  var token: String?
  /// The JWS of the header `Device-Signature`, or nil.
  var deviceSignature: String?

  static let cookieName = "tap-session"
}

/// What a token authorises.
enum Caller {
  /// Everything an operator does.
  case `operator`
  /// What the user of an account does.
  case user(AuthorizationRecord)
  /// A registration for an account, with this token.
  case registrant(RegistrationTokenRecord)
}

extension AuthorizationRecord {
  /// Returns whether it is that of the user of an account.
  func isOf(_ account: String?) -> Bool { account?.hasSameOctets(as: self.account) == true }
}

extension RequestRules {
  /// The caller that a token authorises; nil without a token.
  ///
  /// A token has 256 random bits, so wrong ones need no limit, which would refuse right ones of the same address too.
  ///
  /// - Throws: A refusal with code `unauthorized` for a wrong or expired token.
  func caller(_ credentials: PresentedCredentials) throws(AccessError) -> Caller? {
    guard let token = credentials.token else { return nil }
    let digest = TokenDigest(of: token)
    if digest == environment.operatorToken { return .operator }
    if let authorization = try transaction.authorization(digest), authorization.expiresAt > now {
      return .user(authorization)
    }
    if let registration = try transaction.registrationToken(digest), registration.expiresAt > now {
      return .registrant(registration)
    }
    try auditCounted(.wrongToken, "refused")
    throw .refused(.unauthorized, "the token is unknown or expired")
  }

  /// Checks that the caller is the operator.
  func requireOperator(_ credentials: PresentedCredentials) throws(AccessError) {
    guard case .operator? = try caller(credentials) else {
      throw .refused(.unauthorized, "the token of the operator is required")
    }
  }

  /// The account whose user the caller is.
  func requireUser(_ credentials: PresentedCredentials) throws(AccessError) -> String {
    guard case .user(let authorization)? = try caller(credentials) else {
      throw .refused(.unauthorized, "the authorization of a user is required")
    }
    return authorization.account
  }
}

extension Call {
  /// The credentials that the request carries.
  var credentials: PresentedCredentials { PresentedCredentials(request) }
}

extension PresentedCredentials {
  /// Reads the credentials from the headers of a request.
  init(_ request: AccessRequest) {
    deviceSignature = request.header(DeviceRequest.headerName)
    if let header = request.header("authorization"), header.lowercased().hasPrefix("bearer ") {
      token = String(header.dropFirst("bearer ".count))
      return
    }
    token = request.cookie(Self.cookieName)
  }
}

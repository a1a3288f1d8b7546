package import ServerShell

/// The cookies of the operator's page. The prefix `__Host-` binds them to this host and to TLS (RFC 6265bis, section 4.1.3).
package enum PageCookie: String {
  /// The token of the session.
  case session = "__Host-tap-operator"
  /// The token of a login form, which must come back with the form.
  case login = "__Host-tap-operator-login"

  /// The header that sets the cookie until the browser ends.
  package func set(_ value: String) -> (name: String, value: String) {
    (name: "set-cookie", value: "\(rawValue)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict")
  }

  /// The header that removes the cookie.
  package var removal: (name: String, value: String) {
    (name: "set-cookie", value: "\(rawValue)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict")
  }

  /// The value in a request; nil without the cookie.
  package func value(in request: AccessRequest) -> String? { request.cookie(rawValue) }
}

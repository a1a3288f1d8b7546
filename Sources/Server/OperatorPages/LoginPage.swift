internal import AccessMessages
package import DisplayText
internal import Octets
package import ServerShell
internal import ServerStore

/// The login form of the operator's page.
package enum LoginPage {
  /// The result that the form reports.
  package enum Notice: String {
    case loggedOut, sessionEnded

    package var text: String {
      switch self {
      case .loggedOut: "You are logged out."
      case .sessionEnded: "Your session has ended. Log in again."
      }
    }
  }

  /// The form.
  ///
  /// - Parameters:
  ///   - formToken: The token that must come back in the form and in the cookie.
  ///   - notice: A sentence above the form, or nil.
  package static func html(_ formToken: String, notice: String? = nil, isFailure: Bool = false) -> HTML {
    let shown: HTML =
      notice.map { "<p class=\"notice\(isFailure ? " bad" : "")\" role=\"status\">\($0)</p>" } ?? .empty
    return PageFrame.document(
      "Log in",
      """
      <main><div class="login"><h1>tap-server</h1>\(shown)
      <form method="post" action="\(PagePath.login)">\(PageFrame.token(formToken))
      <input type="text" name="username" value="operator" autocomplete="username" hidden>
      <label for="token">Token of the operator</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
      <button>Log in</button></form></div></main>
      """)
  }
}

extension AccessResponse {
  /// A response that leads to the login form.
  package static func login(_ notice: LoginPage.Notice?) -> AccessResponse {
    seeOther(PagePath.login.query([("notice", notice?.rawValue)]))
  }
}

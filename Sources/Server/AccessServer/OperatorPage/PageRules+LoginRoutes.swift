internal import AccessMessages
internal import OperatorPages
internal import ServerShell
internal import ServerStore

extension PageRules {
  static let loginRoutes: [Route<AccessService>] = [
    Route("GET", PagePath.root, produces: [MediaType.html]) { _, _ in .seeOther(PagePath.users) },
    Route("GET", PagePath.login, produces: [MediaType.html]) { service, call in
      let notice = call.target.query["notice"].flatMap(LoginPage.Notice.init)
      return service.loginForm(200, notice: notice?.text)
    },
    Route("POST", PagePath.login, body: .form, produces: [MediaType.html]) { service, call in
      await service.openOperatorSession(call)
    },
    Route("POST", PagePath.logout, body: .form, produces: [MediaType.html]) { service, call in
      await service.answer(call) { session in
        try await service.decide(call, by: PageRules.self) { try $0.end(session) }
        var response = AccessResponse.login(.loggedOut)
        response.headers.append(PageCookie.session.removal)
        return response
      }
    },
  ]
}

extension AccessService {
  fileprivate func openOperatorSession(_ call: Call) async -> AccessResponse {
    let sent = call.form["formToken"] ?? ""
    guard let expected = PageCookie.login.value(in: call.request), !expected.isEmpty,
      TokenDigest(of: expected).isEqualInConstantTime(to: TokenDigest(of: sent))
    else {
      return loginForm(403, notice: "The form was too old, or cookies are switched off. Try again.", isFailure: true)
    }
    do {
      let token = try call.field("token")
      let session = try await decide(call, by: PageRules.self) { try $0.logInOperator(token) }
      var response = AccessResponse.seeOther(PagePath.users)
      response.headers.append(PageCookie.session.set(session))
      response.headers.append(PageCookie.login.removal)
      return response
    } catch {
      let failure = failure(of: error)
      var response = loginForm(failure.code.httpStatus, notice: failure.message, isFailure: true)
      response.outcome = RequestOutcome(onPage: failure)
      return response
    }
  }

  fileprivate func loginForm(_ status: Int, notice: String?, isFailure: Bool = false) -> AccessResponse {
    let formToken = environment.newToken()
    var response = AccessResponse(status, page: LoginPage.html(formToken, notice: notice, isFailure: isFailure))
    response.headers.append(PageCookie.login.set(formToken))
    return response
  }
}

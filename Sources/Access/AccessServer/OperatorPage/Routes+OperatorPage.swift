internal import AccessMessages
internal import Markup

extension AccessService {
  /// The routes of the operator's page.
  static let operatorPageRoutes: [Route] =
    loginRoutes + OperatorPage.all.map(showing) + OperatorAction.all.map(performing)

  private static func showing(_ page: OperatorPage) -> Route {
    Route("GET", page.path, produces: [MediaType.html]) { service, call in
      guard let session = service.session(call) else { return service.toLogin(call) }
      let notice = call.target.query["done"].flatMap(PageNotice.init)?.html ?? .empty
      let request = PageRequest(path: page.path, call: call, session: session)
      do {
        let content = try await service.decide(call) { try page.content($0, request) }
        let html = PageFrame.page(page.title, at: page.path, session, "\(notice)\(content)")
        return AccessResponse(200, page: html)
      } catch { return .failure(AccessFailure(of: error), session) }
    }
  }

  private static func performing(_ action: OperatorAction) -> Route {
    Route("POST", action.path, body: .form, produces: [MediaType.html]) { service, call in
      guard let session = service.session(call) else { return service.toLogin(call) }
      guard session.accepts(call.form["formToken"]) else { return .foreignForm(session) }
      do {
        let notice = try await action.perform(service, call)
        let places = ["after", "accountsAfter"].map { (name: $0, value: call.target.query[$0]) }
        return .seeOther(PagePath.path(action.page, places + [("done", notice.rawValue)]))
      } catch { return .failure(AccessFailure(of: error), session) }
    }
  }

  private func session(_ call: Call) -> OperatorSession? {
    PageCookie.session.value(in: call.request).flatMap { operatorSessions.use($0, at: now) }
  }

  private func toLogin(_ call: Call) -> AccessResponse {
    .login(PageCookie.session.value(in: call.request) == nil ? nil : .sessionEnded)
  }
}

extension AccessResponse {
  /// A page that reports why a request was refused.
  static func failure(_ failure: AccessFailure, _ session: OperatorSession) -> AccessResponse {
    var response = AccessResponse(
      failure.code.httpStatus,
      page: PageFrame.page(
        "Refused", at: "", session, "<p class=\"notice bad\" role=\"alert\">Refused: \(failure.message).</p>"))
    response.outcome = RequestOutcome(onPage: failure)
    return response
  }

  /// A page for a form without the token of its session: another site may have sent it.
  static func foreignForm(_ session: OperatorSession) -> AccessResponse {
    .failure(AccessFailure(.forbidden, "the form does not belong to this session; nothing was changed"), session)
  }
}

extension Call {
  /// The fields of a form. Empty for a body that is no form.
  var form: [String: String] { RequestTarget.fields(of: Substring(text)) ?? [:] }

  /// A field of a form.
  ///
  /// - Throws: `AccessFailure` with code `malformed` unless it has 1 to 512 characters.
  func field(_ name: String) throws(AccessFailure) -> String {
    guard let value = form[name], (1...512).contains(value.utf16.count) else {
      throw AccessFailure(.malformed, "the field \(name) must have 1 to 512 characters")
    }
    return value
  }
}

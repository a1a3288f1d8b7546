internal import AccessMessages
internal import DisplayText
internal import Octets
internal import OperatorPages
internal import ServerShell
internal import ServerStore

extension PageRules {
  /// The routes of the feature.
  static let routes: [Route<AccessService>] =
    loginRoutes + OperatorPage.all.map(showing) + OperatorAction.all.map(performing)

  private static func showing(_ page: OperatorPage) -> Route<AccessService> {
    Route("GET", page.path, .read, produces: [MediaType.html]) { service, call in
      await service.answer(call) { session in
        let notice = call.target.query["done"].flatMap(PageNotice.init)?.html ?? .empty
        return AccessResponse(200, page: try await service.content(of: page, call, session, notice))
      }
    }
  }

  private static func performing(_ action: OperatorAction) -> Route<AccessService> {
    Route("POST", action.path, body: .form, produces: [MediaType.html]) { service, call in
      await service.answer(call) { session in
        let notice: PageNotice
        do {
          notice = try await action.perform(service, call)
        } catch AccessError.refused(let failure) {
          return try await service.refuse(action, call, session, failure)
        }
        let named = call.target.query[PageRequest.pageParameter]
        // Only a page of the server, so that no link leads elsewhere.
        let page = OperatorPage.all.first { $0.path == named }?.path ?? action.page
        return .seeOther(page.query(call.target.places + [("done", notice.rawValue)]))
      }
    }
  }
}

extension AccessService {
  fileprivate func content(
    of page: OperatorPage, _ call: Call, _ session: OperatorSession, _ notice: HTML
  ) async throws -> HTML {
    let request = PageRequest(path: page.path, call: call, session: session)
    let (title, content) = try await decide(call, by: PageRules.self) {
      let reader = PageReader($0.transaction, at: $0.now, $0)
      return (try page.heading(reader, request), try page.content(reader, request))
    }
    return PageFrame.page(
      title, at: page.path, in: page.section, session, "\(notice)\(content)", search: call.target.query["q"])
  }

  /// Shows the form of a refused action again, with its values and the reason.
  fileprivate func refuse(
    _ action: OperatorAction, _ call: Call, _ session: OperatorSession, _ failure: AccessFailure
  ) async throws -> AccessResponse {
    guard let form = action.form else { return .failure(failure, session) }
    var response = AccessResponse(
      failure.code.httpStatus, page: try await content(of: form, call, session, failure.notice))
    response.outcome = RequestOutcome(onPage: failure)
    return response
  }

  /// Answers a request of a session. A form must have the token of its session. Every failure is a page.
  func answer(
    _ call: Call, _ body: (OperatorSession) async throws -> AccessResponse
  ) async -> AccessResponse {
    var session: OperatorSession?
    do {
      session = try await operatorSession(call)
      guard let session else {
        return .login(PageCookie.session.value(in: call.request) == nil ? nil : .sessionEnded)
      }
      guard call.request.method == "GET" || session.accepts(call.form["formToken"]) else {
        return .foreignForm(session)
      }
      return try await body(session)
    } catch { return .failure(failure(of: error), session) }
  }
}

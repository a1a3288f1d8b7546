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
        let request = PageRequest(path: page.path, call: call, session: session)
        let content = try await service.decide(call, by: PageRules.self) {
          try page.content(PageReader($0.transaction, at: $0.now, $0), request)
        }
        let html = PageFrame.page(
          page.title, at: page.path, session, "\(notice)\(content)", search: call.target.query["q"])
        return AccessResponse(200, page: html)
      }
    }
  }

  private static func performing(_ action: OperatorAction) -> Route<AccessService> {
    Route("POST", action.path, body: .form, produces: [MediaType.html]) { service, call in
      await service.answer(call) { _ in
        let notice = try await action.perform(service, call)
        let named = call.target.query[PageRequest.pageParameter]
        // Only a page of the server, so that no link leads elsewhere.
        let page = OperatorPage.all.first { $0.path == named }?.path ?? action.page
        return .seeOther(page.query(call.target.places + [("done", notice.rawValue)]))
      }
    }
  }
}

extension AccessService {
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

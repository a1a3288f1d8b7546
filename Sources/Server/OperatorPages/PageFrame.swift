package import AccessMessages
package import DisplayText
internal import HTMLPages
internal import Octets
package import ServerShell
package import ServerStore

/// The parts of all pages: the head, the links to the other pages, and the button that logs out.
package enum PageFrame {
  private static let links: [(path: String, title: String)] = [
    (PagePath.users, "Users"), (PagePath.devices, "Devices"), (PagePath.cards, "Cards"),
    (PagePath.operations, "Pending operations"), (PagePath.taps, "Last taps"), (PagePath.audit, "Audit trail"),
  ]

  /// A page of a session.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - section: The path of the page of the navigation to which it belongs; nil for a page outside the navigation.
  ///   - search: The text in the form of the search.
  package static func page(
    _ title: String, at path: String = "", in section: String? = nil, _ session: OperatorSession, _ content: HTML,
    search: String? = nil
  ) -> HTML {
    let links = Self.links.map { link -> HTML in
      let current: HTML =
        link.path == path
        ? " aria-current=\"page\"" : link.path == section ? " aria-current=\"true\"" : .empty
      return "<a href=\"\(link.path)\"\(current)>\(link.title)</a>"
    }
    return document(
      title,
      """
      <a class="skip" href="#content">Skip to the content</a>
      <header><strong>tap-server</strong>
      <form method="get" action="\(PagePath.search)" role="search"><label for="q">Search</label>
      <input id="q" name="q" type="search" maxlength="128" required value="\(search ?? "")"
      placeholder="name, account, device or last 4 digits"><button>Find</button></form>
      <form method="post" action="\(PagePath.logout)">\(token(session.formToken))<button>Log out</button></form>
      <nav aria-label="Pages">\(links)</nav></header>
      <main id="content" tabindex="-1"><h1>\(title)</h1>
      \(content)
      </main>
      """)
  }

  /// A whole document.
  package static func document(_ title: String, _ body: HTML) -> HTML {
    OperatorStyle.design.document("\(title) - tap-server", head: "<link rel=\"icon\" href=\"data:,\">\n", body)
  }

  /// The token of a form.
  static func token(_ token: String) -> HTML { "<input type=\"hidden\" name=\"formToken\" value=\"\(token)\">" }

  /// A form with one button.
  ///
  /// - Parameter fields: The fields that the form sends besides its token.
  static func button(
    _ title: String, _ action: String, _ fields: [(name: String, value: String)], _ session: OperatorSession
  ) -> HTML {
    let inputs = fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML }
    return
      "<form method=\"post\" action=\"\(action)\">\(token(session.formToken))\(inputs)<button>\(title)</button></form>"
  }
}

/// A table of a page. On a narrow screen each row is a card with the names of its columns.
struct PageTable {
  let columns: [String]
  let rows: [[HTML]]
  /// The sentence for a table without rows.
  let empty: String

  var html: HTML {
    guard !rows.isEmpty else { return "<p>\(empty)</p>" }
    let heads = columns.map { "<th scope=\"col\">\($0)</th>" as HTML }
    let lines = rows.map { row -> HTML in
      let cells = zip(columns, row).map { "<td data-label=\"\($0)\"><div>\($1)</div></td>" as HTML }
      return "<tr>\(cells)</tr>\n"
    }
    return "<table><thead><tr>\(heads)</tr></thead><tbody>\n\(lines)</tbody></table>"
  }
}

extension AccessResponse {
  /// A page.
  package init(_ status: Int, page: HTML) {
    self.init(
      status,
      headers: [
        (name: "content-type", value: MediaType.withCharacterSet(MediaType.html)),
        (name: "content-security-policy", value: OperatorStyle.design.securityPolicy),
        (name: "x-content-type-options", value: "nosniff"), (name: "x-frame-options", value: "DENY"),
        (name: "referrer-policy", value: "no-referrer"),
      ], body: Array(page.text.utf8))
  }

  /// A response that sends the browser to another page with GET (RFC 9110, section 15.4.4).
  package static func seeOther(_ path: String) -> AccessResponse {
    AccessResponse(303, headers: [(name: "location", value: path)])
  }
}

extension AccessFailure {
  /// The refusal as a part of a page.
  package var notice: HTML { "<p class=\"notice bad\" role=\"alert\">Refused: \(message).</p>" }
}

extension AccessResponse {
  /// A page that reports why a request was refused.
  ///
  /// - Parameter session: The session; nil when it could not be read.
  package static func failure(_ failure: AccessFailure, _ session: OperatorSession?) -> AccessResponse {
    let notice = failure.notice
    let page = session.map { PageFrame.page("Refused", $0, notice) }
    var response = AccessResponse(
      failure.code.httpStatus,
      page: page ?? PageFrame.document("Refused", "<main><h1>Refused</h1>\(notice)</main>"))
    response.outcome = RequestOutcome(onPage: failure)
    return response
  }

  /// A page for a form without the token of its session: another site may have sent it.
  package static func foreignForm(_ session: OperatorSession) -> AccessResponse {
    .failure(AccessFailure(.forbidden, "the form does not belong to this session; nothing was changed"), session)
  }
}

extension Call {
  /// The fields of a form. Empty for a body that is no form.
  package var form: [String: String] { RequestTarget.fields(of: Substring(text)) ?? [:] }

  /// A field of a form.
  ///
  /// - Throws: A refusal with code `malformed` unless it has 1 to 512 characters.
  package func field(_ name: String) throws(AccessError) -> String {
    guard let value = form[name], (1...512).contains(value.utf16.count) else {
      throw .refused(.malformed, "the field \(name) must have 1 to 512 characters")
    }
    return value
  }
}

import AccessMessages
@testable import AccessServer
@testable import ServerShell
import Testing

/// A browser without network: it keeps cookies, reads forms and sends them.
final class PageClient {
  /// What a form sends.
  typealias Fields = [String: String]

  let server: TestServer
  var cookies: [String: String] = [:]

  init(_ server: TestServer) { self.server = server }

  /// Logs in with the token of the operator.
  func logIn(_ token: String = TestServer.operatorToken) async throws -> Page {
    let form = try await get("/operator/login")
    return try await post("/operator/login", ["formToken": form.formToken(), "token": token])
  }

  func get(_ path: String) async throws -> Page { try await send(AccessRequest("GET", path, address: "192.0.2.1")) }

  func post(_ path: String, _ fields: Fields, type: String = "application/x-www-form-urlencoded") async throws -> Page {
    let body = fields.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    return try await send(
      AccessRequest(
        "POST", path, headers: [(name: "content-type", value: type)], body: Array(body.utf8), address: "192.0.2.1"))
  }

  /// Sends the form with a button that has a value among its hidden fields.
  func press(_ button: String, on page: Page, with value: String) async throws -> Page {
    let form = try #require(page.forms.first { $0.button == button && $0.fields.values.contains(value) })
    return try await post(form.action, form.fields)
  }

  func forget(_ cookie: String) { cookies[cookie] = nil }

  private func send(_ request: AccessRequest) async throws -> Page {
    var request = request
    let line = cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    if !line.isEmpty { request.headers.append((name: "cookie", value: line)) }
    request.headers.append((name: "accept", value: "text/html,*/*;q=0.8"))
    let response = await server.respond(to: request)
    for (name, value) in response.headers where name == "set-cookie" {
      let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = value.contains("Max-Age=0") ? nil : String(pair[1])
    }
    return Page(response)
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { octet in
      let digits = String(octet, radix: 16)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}

/// A response to a browser.
struct Page {
  struct Form {
    let action: String
    let fields: PageClient.Fields
    let button: String
  }

  let status: Int
  let text: String
  let headers: [(name: String, value: String)]

  init(_ response: AccessResponse) {
    (status, headers) = (response.status, response.headers)
    text = String(decoding: response.body, as: UTF8.self)
  }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  var location: String? { header("location") }

  var forms: [Form] {
    text.matches(of: /<form method="post" action="([^"]*)">(.*?)<button>([^<]*)<\/button><\/form>/.dotMatchesNewlines())
      .map { match in
        let fields = match.output.2.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
          .map { (String($0.output.1), Self.unescaped($0.output.2)) }
        return Form(
          action: Self.unescaped(match.output.1), fields: Dictionary(fields) { first, _ in first },
          button: String(match.output.3))
      }
  }

  func formToken() throws -> String { try #require(forms.first?.fields["formToken"]) }

  private static func unescaped(_ text: Substring) -> String {
    var text = String(text)
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
      text = text.replacing(entity, with: character)
    }
    return text
  }
}

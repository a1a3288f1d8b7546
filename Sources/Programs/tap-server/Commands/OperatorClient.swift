import AccessMessages
import AccessServer
import Documents
import HTTPSTransport
import JSON
import ProgramSupport
import ServerShell

/// Speaks to a running server with the token of the operator.
struct OperatorClient {
  private let exchange: any HTTPExchange
  private let base: String
  private let token: String

  /// Reads the token and the authority. Sends nothing.
  init(_ options: OperatorOptions) throws(CommandFailure) {
    base = options.server.hasSuffix("/") ? String(options.server.dropLast()) : options.server
    do throws(CertificateError) {
      token = try OperatorToken.read(options.token)
    } catch {
      throw CommandFailure(error.code.rawValue, of: error)
    }
    do throws(HTTPSTrustError) {
      exchange = try HTTPSTransport(trust: options.ca.map { .authorities(file: $0) } ?? .system)
    } catch {
      throw CommandFailure("inaccessible", of: error)
    }
  }

  /// Sends a request.
  ///
  /// - Returns: The body of the response, null when it is empty.
  /// - Throws: `CommandFailure` when the server is not reached, refuses, or answers with something else than JSON.
  @discardableResult
  func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws(CommandFailure)
    -> JSONValue
  {
    var fields = [HTTPField("Authorization", "Bearer \(token)"), HTTPField("Accept", MediaType.json)]
    if body != nil { fields.append(HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json))) }
    let request = HTTPRequest(method, base + path, fields: fields, body: body.map { Array($0.compact.utf8) } ?? [])
    let response: HTTPResponse
    do throws(HTTPExchangeError) {
      response = try await exchange.send(request)
    } catch {
      throw CommandFailure(error)
    }
    let json = response.body.isEmpty ? JSONValue(.null) : try? JSONValue(parsing: response.body)
    if (200..<300).contains(response.status), let json { return json }
    guard let json, let refusal = try? AccessFailure(json) else {
      throw CommandFailure("malformed", "HTTP \(response.status) of \(base) is not an answer of tap-server", .notRight)
    }
    throw CommandFailure(refusal, status: response.status)
  }

  /// Sends a request and reads the body of the response.
  func send<Body>(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil,
    _ read: (JSONValue) throws(DocumentError) -> Body
  ) async throws(CommandFailure) -> Body {
    let json = try await send(method, path, body)
    do throws(DocumentError) {
      return try read(json)
    } catch {
      throw CommandFailure("malformed", "the answer of \(base) has the wrong form: \(error)", .notRight)
    }
  }
}

extension OperatorOptions {
  /// Sends one request whose answer has no content, and reports the end of an operation.
  ///
  /// - Parameter done: What the operation has done, for people.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, as operation: String, done: String
  ) async throws {
    try await report(operation).run(done: done) { () throws(CommandFailure) in
      try await OperatorClient(self).send(method, path, body)
    }
  }

  /// Shows a list of the server, page by page.
  ///
  /// - Parameters:
  ///   - event: The name of the event of an entry.
  ///   - path: The path of the list, with its parameters.
  ///   - read: Reads a page.
  ///   - content: The entries of a page, and where the next one begins; nil after the last.
  func list<Page>(
    as operation: String, _ event: String, columns: [String], _ path: String,
    _ parameters: [(name: String, value: String?)] = [], reading read: (JSONValue) throws(DocumentError) -> Page,
    _ content: (Page) -> (entries: [ListEntry], next: String?)
  ) async throws {
    let report = report(operation)
    try await report.run { () throws(CommandFailure) in
      let client = try OperatorClient(self)
      var next: String?
      repeat {
        let page = content(try await client.send(.get, path.query(parameters + [("after", next)]), nil, read))
        report.page(event, page.entries, columns: columns)
        next = page.next
      } while next != nil
    }
  }
}

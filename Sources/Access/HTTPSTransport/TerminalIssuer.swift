public import AccessMessages
internal import Documents
public import JSON

/// The issuer of a server, as a terminal asks it.
public struct TerminalIssuer: Sendable {
  /// Why a request has no response.
  public enum Failure: Error, Sendable, CustomStringConvertible {
    /// The file of authorities cannot be used.
    case certificate(HTTPSTrustError)
    /// The text is no request.
    case request(String)
    /// The server was not reached.
    case unreached(HTTPExchangeError)
    /// The server did not respond with an authorisation.
    case server(String)

    /// The name of the error, for programs.
    public var code: String { words.code }

    /// A sentence.
    public var description: String { words.sentence }

    /// The exit code of a program that ends with the error: 1 for a file of authorities that cannot be read, 3 for a server
    /// that was not reached, 2 for a request or a response that is not right.
    public var exitCode: Int32 {
      switch self {
      case .certificate: 1
      case .unreached: 3
      case .request, .server: 2
      }
    }

    private var words: (code: String, sentence: String) {
      switch self {
      case .certificate(let error): ("Certificate", error.description)
      case .request(let reason): ("InvalidArgument", "the request on standard input: \(reason)")
      case .unreached(let error): ("NetworkError", "\(error)")
      case .server(let sentence): ("ServerError", sentence)
      }
    }
  }

  private let server: String
  private let http: any HTTPExchange

  /// Creates the issuer of a server.
  public init(server: String, over http: any HTTPExchange) { (self.server, self.http) = (server, http) }

  /// Creates the issuer of a server over HTTPS. Blocks to read the file of authorities.
  ///
  /// - Parameter authority: The file with the authorities of the server's certificate; nil for those of the system.
  /// - Throws: `.certificate` when the file of authorities cannot be used.
  public init(server: String, authority: String?) throws(Failure) {
    do throws(HTTPSTrustError) {
      let transport = try HTTPSTransport(trust: authority.map { .authorities(file: $0) } ?? .system)
      self.init(server: server, over: transport)
    } catch { throw .certificate(error) }
  }

  /// Asks for the authorisation of a payment whose request is JSON.
  public func authorize(json text: String) async throws(Failure) -> PaymentAuthorization {
    let request: PaymentAuthorizationRequest
    do {
      request = try PaymentAuthorizationRequest(JSONValue(parsing: Array(text.utf8)))
    } catch { throw .request("\(error)") }
    return try await authorize(request)
  }

  /// Asks for the authorisation of a payment.
  public func authorize(_ request: PaymentAuthorizationRequest) async throws(Failure) -> PaymentAuthorization {
    let fields = [
      HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json)), HTTPField("Accept", MediaType.json),
    ]
    let response: HTTPResponse
    do throws(HTTPExchangeError) {
      response = try await http.send(
        HTTPRequest(
          .post, server + IssuerPath.authorizations, fields: fields, body: Array(request.json.compact.utf8)))
    } catch { throw .unreached(error) }
    let json = try? JSONValue(parsing: response.body)
    guard response.status == 200, let json else {
      let failure = json.flatMap { try? AccessFailure($0) }
      throw .server("\(failure.map { "\($0)" } ?? "HTTP \(response.status)") of \(server)")
    }
    do throws(DocumentError) {
      return try PaymentAuthorization(json)
    } catch { throw .server("the response of \(server) has the wrong form: \(error)") }
  }
}

extension TerminalIssuer {
  /// Passes on the requests of a terminal, a line each, until the first one without a response.
  ///
  /// - Parameters:
  ///   - nextLine: Returns the next request; nil after the last one. May block.
  ///   - print: Receives the response to each request, or the error.
  /// - Returns: The exit code of the program.
  public static func serve(
    server: String, authority: String?, nextLine: () -> String?, print: (JSONValue) -> Void
  ) async -> Int32 {
    do throws(Failure) {
      let issuer = try TerminalIssuer(server: server, authority: authority)
      while let line = nextLine() { print(try await issuer.authorize(json: line).json) }
      return 0
    } catch {
      print(["error": ["code": JSONValue(error.code), "message": JSONValue(error.description)]])
      return error.exitCode
    }
  }
}

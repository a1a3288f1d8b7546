import AccessMessages
@testable import AccessServer
import HTTPSTransport
import JSON
@testable import OperatorPages
import ServerShell
import Synchronization

/// The server of an issuer that forwards each request that it gets to another issuer, as it came, before it answers.
final class RelayingIssuer: AccessResponding {
  /// What its clients get.
  enum Answer: CaseIterable, Sendable {
    /// What its own service answers.
    case own
    /// What the other issuer answers.
    case foreign
  }

  /// A request that was forwarded, and what the other issuer made of it.
  struct Forwarded: Sendable {
    /// The name of the route.
    let operation: String
    let request: AccessRequest
    let response: HTTPResponse

    /// Whether the other issuer did what was asked. A response of the UAF protocol has a status of its own, a payment a
    /// decision, and a page that needs a session leads to its login.
    var isDone: Bool {
      guard (200..<400).contains(response.status), !isRedirection(to: PagePath.login) else { return false }
      guard let json = try? JSONValue(parsing: response.body) else { return true }
      return json["statusCode"]?.integer ?? 1_200 == 1_200 && json["decision"]?.text != "declined"
    }

    private func isRedirection(to path: String) -> Bool {
      response.status == 303 && response.fields.contains { $0.name.lowercased() == "location" && $0.value == path }
    }
  }

  private let url: String
  private let exchange: HTTPSTransport
  private let answer: Answer
  private let service = Mutex<AccessService?>(nil)
  private let requests = Mutex<[Forwarded]>([])

  /// - Parameters:
  ///   - url: The URL of the other issuer.
  ///   - exchange: Reaches the other issuer.
  init(to url: String, by exchange: HTTPSTransport, answer: Answer) {
    (self.url, self.exchange, self.answer) = (url, exchange, answer)
  }

  /// Stands before the service of this issuer.
  func standing(before service: AccessService) -> any AccessResponding {
    self.service.withLock { $0 = service }
    return self
  }

  /// All requests so far.
  var forwarded: [Forwarded] { requests.withLock { $0 } }

  func respond(to request: AccessRequest) async -> AccessResponse {
    let foreign = await forward(request)
    guard answer == .foreign, let foreign else {
      return await service.withLock(\.self)?.respond(to: request) ?? AccessResponse(503)
    }
    return AccessResponse(
      foreign.status,
      headers: foreign.fields.filter { !Self.hopNames.contains($0.name.lowercased()) }
        .map { (name: $0.name.lowercased(), value: $0.value) }, body: foreign.body)
  }

  /// Sends a request to the other issuer; nil for a method that it does not have.
  @discardableResult func forward(_ request: AccessRequest) async -> HTTPResponse? {
    guard let method = HTTPRequest.Method(rawValue: request.method) else { return nil }
    let fields = request.headers.filter { !Self.hopNames.contains($0.name) }.map { HTTPField($0.name, $0.value) }
    let sent = HTTPRequest(method, url + request.target, fields: fields, body: request.body ?? [])
    guard let response = try? await exchange.send(sent) else { return nil }
    requests.withLock {
      $0.append(Forwarded(operation: Self.operation(of: request), request: request, response: response))
    }
    return response
  }

  /// The name of the route of a request.
  private static func operation(of request: AccessRequest) -> String {
    guard let components = RequestTarget(request.target)?.components else { return request.target }
    let route = AccessService.routes.first { $0.method == request.method && $0.arguments(components) != nil }
    return route?.name ?? "\(request.method) \(request.target)"
  }

  // What belongs to one connection (RFC 9110, 7.6.1), and what the transport sets.
  private static let hopNames: Set = [
    "connection", "content-length", "date", "host", "keep-alive", "server", "transfer-encoding",
  ]
}

public import AccessMessages
public import AccessServer
import ServerShell

/// A server in the same process.
public struct ServiceExchange: HTTPExchange {
  private let service: AccessService

  /// Describes the exchange with a server.
  public init(service: AccessService) { self.service = service }

  /// Sends a request, and returns the response of the server; never throws.
  public func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let response = await service.respond(
      to: AccessRequest(
        request.method.rawValue, request.url,
        headers: request.fields.map { (name: $0.name.lowercased(), value: $0.value) }, body: request.body,
        address: "192.0.2.1"))
    return HTTPResponse(
      status: response.status, fields: response.headers.map { HTTPField($0.name, $0.value) }, body: response.body)
  }
}

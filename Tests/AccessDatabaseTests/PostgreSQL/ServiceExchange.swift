import AccessMessages
import AccessServer

/// A server in this process.
struct ServiceExchange: HTTPExchange {
  let service: AccessService

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let response = await service.respond(
      to: AccessRequest(
        request.method.rawValue, request.url,
        headers: request.fields.map { (name: $0.name.lowercased(), value: $0.value) }, body: request.body,
        address: "192.0.2.1"))
    return HTTPResponse(
      status: response.status, fields: response.headers.map { HTTPField($0.name, $0.value) }, body: response.body)
  }
}

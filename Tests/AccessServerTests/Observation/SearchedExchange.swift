import AccessMessages
import HTTPSTransport

/// Sends requests with another exchange, and adds what they and their responses contain to the secrets that no log may have.
struct SearchedExchange: HTTPExchange {
  let base: HTTPSTransport

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    use(request.url, request.fields, request.body)
    let response = try await base.send(request)
    use("/", response.fields, response.body)
    return response
  }

  func serverCertificate(of origin: String) async -> [UInt8]? { await base.serverCertificate(of: origin) }

  private func use(_ url: String, _ fields: [HTTPField], _ body: [UInt8]?) {
    let path = url.replacing(/https:\/\/[^\/]*/, with: "")
    LogSearch.all.use(path, headers: fields.map { (name: $0.name, value: $0.value) }, body: body ?? [])
  }
}

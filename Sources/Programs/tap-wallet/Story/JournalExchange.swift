import AccessMessages

/// Sends requests through another exchange, and appends each with the status of its answer to a journal.
struct JournalExchange: HTTPExchange {
  let exchange: any HTTPExchange
  let journal: Journal
  /// The part that sends the requests.
  let sender: String

  static let server = "tap-server"

  func serverCertificate(of origin: String) async -> [UInt8]? { await exchange.serverCertificate(of: origin) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let path = request.url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/")
    let text = "\(request.method.rawValue) /\(Self.shortened(path))"
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request)
      note("\(text): \(response.status)", isRefused: !(200..<300).contains(response.status))
      return response
    } catch {
      note("\(text): no answer", isRefused: true)
      throw error
    }
  }

  // A journal that cannot be written must not end the operation that it reports.
  private func note(_ text: String, isRefused: Bool) {
    try? journal.append(Message(sender, to: Self.server, text, isRefused: isRefused))
  }

  /// A path with long identifiers shortened.
  private static func shortened(_ path: String) -> String {
    path.prefix { $0 != "?" }.split(separator: "/").map { $0.count > 20 ? $0.prefix(4) + "…" : $0 }
      .joined(separator: "/")
  }
}

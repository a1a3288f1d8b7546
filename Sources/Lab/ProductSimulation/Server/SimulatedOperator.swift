internal import AccessMessages
internal import Documents
internal import JSON

/// The operator of a server.
struct SimulatedOperator {
  let server: SimulatedServer
  let network: SimulatedNetwork

  /// Changes a card or a device.
  ///
  /// - Returns: The status of the response; nil without one.
  func change(_ path: String, _ body: JSONValue) async -> Int? { await send(.patch, path, body)?.status }

  /// The identifiers of the devices of the wallet of a user, those that are linked first.
  func devices(of userName: String, linked: Bool) async -> [String] {
    let response = await send(.get, "\(OperatorPath.wallets)?userName=\(userName)")
    guard let response, let json = try? JSONValue(parsing: response.body), let list = try? WalletList(json) else {
      return []
    }
    return list.wallets.flatMap(\.devices).filter { $0.isLinked || !linked }.map(\.deviceID)
  }

  private func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async -> HTTPResponse? {
    var fields = [HTTPField("Authorization", "Bearer \(SimulatedServer.operatorToken)")]
    if body != nil { fields.append(HTTPField("Content-Type", MediaType.withCharacterSet(MediaType.json))) }
    return try? await network.send(
      HTTPRequest(method, server.origin + path, fields: fields, body: Array((body?.compact ?? "").utf8)), from: nil)
  }
}

/// A session of a wallet, by its token.
struct OpenedSession: Hashable {
  let server: Int
  let token: String
}

extension SimulatedExchange {
  var bodyText: String { String(decoding: body, as: UTF8.self) }
  var responseText: String { String(decoding: response, as: UTF8.self) }

  /// The session that the response gives; nil for another response.
  var opened: OpenedSession? {
    guard method == "POST", path.hasSuffix("/sessions") || path.hasSuffix("/sessions/mfa"), isAccepted else {
      return nil
    }
    return responseText.member("session").map { OpenedSession(server: server, token: $0) }
  }

  /// The session that the request presents; nil without one.
  var presented: OpenedSession? {
    let scheme = Array("Bearer ".utf8)
    guard let token, token.starts(with: scheme) else { return nil }
    return OpenedSession(server: server, token: String(decoding: token.dropFirst(scheme.count), as: UTF8.self))
  }
}

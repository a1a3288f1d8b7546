public import AccessMessages
internal import Documents
internal import MobileAuthentication

extension WalletAccess {
  /// Checks that the issuer still serves this version of the client. An issuer that states no versions serves all.
  ///
  /// - Returns: The issuer's versions when its latest is newer than this one; nil otherwise.
  /// - Throws: `.outdated` below the issuer's lowest version, `.malformed` for an answer without versions, or an error of
  ///   the exchange.
  @discardableResult
  public func checkVersion(_ own: DottedVersion) async throws(WalletAccessError) -> ClientVersions? {
    let request = HTTPRequest(
      .get, server + AccessPath.linuxVersions, fields: [HTTPField("Accept", MediaType.json)], limits: limits)
    let response = try await converting(WalletAccessError.init) { () async throws(HTTPExchangeError) in
      try await http.send(request)
    }
    if response.status == 404 { return nil }
    guard response.status == 200 else { throw Self.error(for: response) }
    let versions = try Self.body(response, ClientVersions.init)
    guard let minimum = DottedVersion(versions.minimum) else {
      throw .malformed("the lowest version \"\(versions.minimum)\" is not made of numbers with points")
    }
    guard own >= minimum else { throw .outdated(versions) }
    return DottedVersion(versions.latest).map { $0 > own } == true ? versions : nil
  }
}

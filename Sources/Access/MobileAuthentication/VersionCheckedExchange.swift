public import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import Synchronization

/// HTTP to servers that state which versions of the client they serve. It goes no further with a server that does not serve
/// this version any more.
///
/// Before the first request to a server it asks for the versions, so that nothing is changed by a version that is too old.
/// After that, each response with the header `ClientVersions.headerName` is checked. A server that states none serves all.
/// The statement is kept with the wallet of the server: it holds while the server is not reached.
public final class VersionCheckedExchange: HTTPExchange {
  private let base: any HTTPExchange
  private let own: DottedVersion
  private let store: any LocalDataStore
  private let asked = Mutex<Set<String>>([])

  /// Checks the responses of another exchange.
  ///
  /// - Parameters:
  ///   - own: The version of this client.
  ///   - store: Keeps the last statement of each server that has a wallet of this device.
  public init(_ base: any HTTPExchange, version own: DottedVersion, store: any LocalDataStore) {
    (self.base, self.own, self.store) = (base, own, store)
  }

  /// The certificate of a server, as the other exchange has it.
  public func serverCertificate(of origin: String) async -> [UInt8]? { await base.serverCertificate(of: origin) }

  /// Sends a request.
  ///
  /// - Throws: `.outdated` for a server that does not serve this version, or the error of the other exchange.
  public func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    guard let origin = WebOrigin(url: request.url)?.text else { return try await base.send(request) }
    do throws(HTTPExchangeError) {
      if request.url != origin + AccessPath.linuxVersions { try await ask(origin, request.limits) }
      let response = try await base.send(request)
      if request.url == origin + AccessPath.linuxVersions { note(origin) }
      try await check(ClientVersions(in: response.fields), of: origin)
      return response
    } catch {
      guard error.isTemporary, let known = await known(at: origin), !known.serves(own) else { throw error }
      throw .outdated(known)
    }
  }

  /// Asks a server for its versions, once. A server without an answer of this form serves all.
  private func ask(_ origin: String, _ limits: HTTPLimits) async throws(HTTPExchangeError) {
    guard asked.withLock({ !$0.contains(origin) }) else { return }
    let fields = [HTTPField("Accept", MediaType.json)]
    let response = try await base.send(
      HTTPRequest(.get, origin + AccessPath.linuxVersions, fields: fields, limits: limits))
    note(origin)
    guard response.status == 200, let json = try? JSONValue(parsing: response.body) else { return }
    try await check(try? ClientVersions(json), of: origin)
  }

  private func note(_ origin: String) { asked.withLock { _ = $0.insert(origin) } }

  private func check(_ versions: ClientVersions?, of origin: String) async throws(HTTPExchangeError) {
    guard let versions, DottedVersion(versions.minimum) != nil else { return }
    await keep(versions, of: origin)
    guard versions.serves(own) else { throw .outdated(versions) }
  }

  private func known(at origin: String) async -> ClientVersions? {
    (try? await store.read())?.wallet(at: origin)?.clientVersions
  }

  /// Keeps a statement that differs from the last one. A store that cannot be written keeps the last one: the next response
  /// has the statement again.
  private func keep(_ versions: ClientVersions, of origin: String) async {
    guard let wallet = (try? await store.read())?.wallet(at: origin), wallet.clientVersions != versions else { return }
    try? await store.change { records in
      if records.wallet(at: origin) != nil { records.changeWallet(at: origin) { $0.clientVersions = versions } }
    }
  }
}

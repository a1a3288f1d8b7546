public import AccessMessages
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The client's HTTP over TLS: the only implementation of `HTTPExchange` with sockets.
///
/// It offers TLS 1.2 and 1.3 with eleven cipher suites, verifies the certificate of the server and its host
/// name before it sends a request, follows no redirection, and keeps no cookie and no authorization. A connection is kept
/// for later requests to the same server while the value lives.
public final class HTTPSTransport: HTTPExchange {
  private let configuration: HTTPClient.Configuration
  // By origin: a client of its own for each server associates its connections with the server.
  private let clients = Mutex<[String: OriginClient]>([:])

  /// Creates a transport.
  ///
  /// Blocks to read the file of authorities.
  ///
  /// - Throws: `HTTPSTrustError` when the file of authorities cannot be used.
  public init(trust: HTTPSTrust = .system) throws(HTTPSTrustError) {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try TLSRules.configuration(trust), redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(connect: .seconds(60)), decompression: .disabled)
    configuration.httpVersion = .http1Only
    // A failed connection is the caller's to repeat: repetitions would hide the cause until the time is up.
    configuration.connectionPool.retryConnectionEstablishment = false
    self.configuration = configuration
  }

  /// Returns whether a URL is one of HTTPS with a host.
  package static func takes(server url: String) -> Bool {
    let scheme = "https://"
    return url.lowercased().hasPrefix(scheme) && url.dropFirst(scheme.count).first.map { $0 != "/" } ?? false
  }

  /// Sends a request and receives the whole response.
  public func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    guard Self.takes(server: request.url) else { throw .insecureURL }
    let client = client(of: request.url).client
    do {
      return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
        group.addTask { try await Self.exchange(request, client) }
        group.addTask {
          try await Task.sleep(for: request.limits.time)
          return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let response = first else {
          throw HTTPExchangeError.timedOut(limit: request.limits.time)
        }
        return response
      }
    } catch {
      throw Task.isCancelled ? .cancelled : HTTPExchangeError(error, request.limits)
    }
  }

  /// Returns the certificate in DER that a server has presented on the connections to it.
  public func serverCertificate(of origin: String) async -> [UInt8]? { client(of: origin).certificate }

  private func client(of url: String) -> OriginClient {
    let scheme = "https://"
    let authority = url.lowercased().dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let origin = authority.hasSuffix(":443") ? authority.dropLast(4) : authority
    return clients.withLock { clients in
      if let client = clients[String(origin)] { return client }
      let client = OriginClient(configuration)
      clients[String(origin)] = client
      return client
    }
  }

  private static func exchange(_ request: HTTPRequest, _ client: HTTPClient) async throws -> HTTPResponse {
    var message = HTTPClientRequest(url: request.url)
    message.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.fields { message.headers.add(name: field.name, value: field.value) }
    if !request.body.isEmpty { message.body = .bytes(ByteBuffer(bytes: request.body)) }
    let response = try await client.execute(message, deadline: .distantFuture)
    // Leaving the scope without the whole body closes the connection.
    let body = try await response.body.collect(upTo: request.limits.bodyCount)
    return HTTPResponse(
      status: Int(response.status.code), fields: response.headers.map { HTTPField($0.name, $0.value) },
      body: Array(body.readableBytesView))
  }
}

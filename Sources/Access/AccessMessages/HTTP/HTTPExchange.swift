/// The port of the client to HTTP: one request, one response.
///
/// Contract, the same for every implementation:
/// - A URL without the scheme https fails with `.insecureURL` before a connection is opened.
/// - Redirections are returned as they are; they are not followed.
/// - No cookie and no authorization is kept from one request to the next.
/// - When the task is cancelled, the connection is closed and `.cancelled` is thrown.
public protocol HTTPExchange: Sendable {
  /// Sends a request and receives the whole response.
  ///
  /// - Returns: The response with any status; a status of 400 or more is no error of this port.
  /// - Throws: `HTTPExchangeError` when no complete response was received.
  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse

  /// Returns the certificate in DER that a server has presented on the connections to it.
  ///
  /// - Parameter origin: The server, `https://HOST:PORT`.
  /// - Returns: Nil before the first connection, when the connections had different certificates, and for an exchange
  ///   without TLS of its own.
  func serverCertificate(of origin: String) async -> [UInt8]?
}

extension HTTPExchange {
  /// Returns nil: an exchange without TLS of its own has no certificate.
  public func serverCertificate(of origin: String) async -> [UInt8]? { nil }
}

/// The limits of one exchange.
public struct HTTPLimits: Hashable, Sendable {
  /// The time from the start of the request to the last byte of the response, more than zero.
  public var time: Duration
  /// The largest body of a response, in bytes, 0 or more. A larger one fails with `.tooLarge`.
  public var bodyCount: Int

  /// Creates limits: 60 s and 1 MiB, the largest UAF message.
  public init(time: Duration = .seconds(60), bodyCount: Int = 1_048_576) {
    precondition(time > .zero && bodyCount >= 0, "an exchange has more than no time, and a body has 0 bytes or more")
    (self.time, self.bodyCount) = (time, bodyCount)
  }
}

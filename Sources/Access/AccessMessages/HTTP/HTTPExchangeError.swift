/// Why no complete response was received. The descriptions contain no header, body or query.
public enum HTTPExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The URL is not an absolute https URL. Nothing was sent.
  case insecureURL
  /// No connection: the host is unknown, refuses the connection, or closed it before the response was complete.
  case unreachable(String)
  /// The time of the exchange is up.
  case timedOut(limit: Duration)
  /// The server's certificate is expired, of an unknown authority, or for another host. No content was sent.
  case certificate(String)
  /// The TLS handshake failed for another reason, such as an old version or no common cipher suite. No content was sent.
  case tls(String)
  /// The body of the response is larger than the limit, in bytes.
  case tooLarge(limit: Int)
  /// The response violates HTTP.
  case malformed(String)
  /// The server does not serve this version of the client any more.
  case outdated(ClientVersions)
  /// The task was cancelled.
  case cancelled

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .insecureURL: "the URL of a server must begin with https://"
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .timedOut(let limit): "the server did not respond within \(limit); try again later"
    case .certificate(let reason): "the certificate of the server is not trusted: \(reason)"
    case .tls(let reason): "no TLS connection with the server: \(reason)"
    case .tooLarge(let limit): "the response of the server is larger than \(limit) bytes"
    case .malformed(let reason): "the response of the server is not HTTP: \(reason)"
    case .outdated(let versions): versions.refusal
    case .cancelled: "the exchange was cancelled"
    }
  }
}

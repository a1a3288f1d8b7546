internal import AccessMessages
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

extension HTTPExchangeError {
  /// The error of the port for an error of the libraries under it.
  init(_ error: any Error, _ limits: HTTPLimits) {
    self =
      switch error {
      case let error as HTTPExchangeError: error
      case is CancellationError: .cancelled
      case is NIOTooManyBytesError: .tooLarge(limit: limits.bodyCount)
      case is NIOSSLExtraError: .certificate("it is for another host")
      case let error as NIOSSLError: Self.failure(of: error)
      case HTTPParserError.invalidEOFState:
        .unreachable("the connection was closed before the response was complete")
      case is HTTPParserError: .malformed("the message cannot be parsed")
      case let error as HTTPClientError: Self.failure(of: error, limits)
      case let error as IOError where error.errnoCode == ECONNREFUSED:
        .unreachable("nothing listens at this address; start the server, or correct the address")
      case is IOError: .unreachable("the connection was closed before the response was complete")
      default: .unreachable("no connection to the host; check the address and the network")
      }
  }

  private static func failure(of error: NIOSSLError) -> HTTPExchangeError {
    guard case .handshakeFailed(let cause) = error else {
      return .unreachable("the connection was closed before the response was complete")
    }
    // BoringSSL reports the reason in its error stack as text only.
    return "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
      ? .certificate("it is expired, self-signed or of an unknown authority")
      : .tls("the handshake failed; TLS 1.2 and a common cipher suite are needed")
  }

  private static func failure(of error: HTTPClientError, _ limits: HTTPLimits) -> HTTPExchangeError {
    switch error {
    case .cancelled: .cancelled
    case .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout, .deadlineExceeded:
      .timedOut(limit: limits.time)
    case .invalidURL, .emptyHost, .emptyScheme: .insecureURL
    case .remoteConnectionClosed, .uncleanShutdown:
      .unreachable("the connection was closed before the response was complete")
    default: .malformed(error.shortDescription)
    }
  }
}

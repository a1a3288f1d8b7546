internal import Glibc
internal import POSIX

/// One TCP connection to a vpcd. Every wait ends when the signal is raised.
struct TCPConnection: ~Copyable {
  /// The timeout for a connection to one address.
  static let connectTimeout = Duration.seconds(10)

  private let socket: Descriptor
  private let signal: WakeSignal

  /// How a wait ended: with bytes, with the end of the connection, with the signal, or with the timeout.
  enum Arrival { case octets, closed, stopped, silent }

  /// Connects to an address.
  ///
  /// - Returns: nil when the signal was raised first.
  /// - Throws: The error number of the system.
  static func open(_ address: SocketAddress, signal: WakeSignal) throws(SystemError) -> TCPConnection? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let socket = Descriptor(owning: Glibc.socket(address.family, kind, 0))
    guard socket.number >= 0 else { throw SystemError() }
    let code = unsafe address.withPointer { unsafe connect(socket.number, $0, $1) == 0 ? 0 : errno } ?? EINVAL
    if code == EINPROGRESS {
      switch signal.wait(for: socket.number, Int32(POLLOUT), timeout: connectTimeout) {
      case .raised: return nil
      case .timedOut: throw SystemError(ETIMEDOUT)
      case .ready: try check(option(SO_ERROR, of: socket.number))
      }
    } else {
      try check(code)
    }
    // Each response is a complete frame: waiting to fill a segment would only delay it.
    set(TCP_NODELAY, of: socket.number)
    return TCPConnection(socket: socket, signal: signal)
  }

  /// Waits for bytes and appends them to the frames.
  ///
  /// - Parameter timeout: nil is without a limit.
  func receive(into frames: inout VPCDFrames, timeout: Duration?) -> Arrival {
    while true {
      // WORKAROUND: vpcd sends length and payload in two segments and leaves Nagle's algorithm on, so the second
      // segment waits for an acknowledgement, which Linux delays by 40 ms. Linux clears this option, so it is set
      // before every read.
      Self.set(TCP_QUICKACK, of: socket.number)
      switch signal.wait(for: socket.number, Int32(POLLIN), timeout: timeout) {
      case .raised: return .stopped
      case .timedOut: return .silent
      case .ready: break
      }
      var count = 0
      var code: Int32 = 0
      frames.append { room in
        // The kernel writes at most the free bytes.
        count = unsafe room.withUnsafeMutableBytes { unsafe recv(socket.number, $0.baseAddress, $0.count, 0) }
        code = errno
        return max(count, 0)
      }
      if count > 0 { return .octets }
      if count < 0, code == EINTR || code == EAGAIN { continue }
      return .closed
    }
  }

  /// Sends all bytes, in one call unless the kernel accepts only a part.
  ///
  /// - Returns: `.octets` when all bytes were sent, `.stopped` or `.closed` otherwise.
  func send(_ octets: Span<UInt8>) -> Arrival {
    var sent = 0
    while sent < octets.count {
      let rest = octets.extracting(sent..<octets.count)
      let count = unsafe rest.withUnsafeBufferPointer {
        unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        guard signal.wait(for: socket.number, Int32(POLLOUT), timeout: nil) == .ready else { return .stopped }
      } else if errno != EINTR {
        return .closed
      }
    }
    return .octets
  }

  private static func check(_ number: Int32) throws(SystemError) {
    if number != 0 { throw SystemError(number) }
  }

  private static func set(_ option: Int32, of socket: Int32) {
    var on: Int32 = 1
    // Without the option the link is slow but correct, so an error is ignored.
    _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func option(_ option: Int32, of socket: Int32) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 else { return errno }
    return value
  }
}

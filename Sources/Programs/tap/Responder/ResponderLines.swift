import Glibc
import ISO7816
import Octets
import POSIX

/// The lines that are sent to a program and received from it. Owned by the thread of the link.
struct ResponderLines: ~Copyable {
  /// The longest line: a response with a space after each byte, and a line end of two characters.
  static let maximumCount = ResponseAPDU.maximumCount * 3 + 2

  private let socket: Descriptor
  private let signal: WakeSignal
  private var received: [UInt8] = []
  /// How many bytes of `received` are known to hold no line end.
  private var searchedCount = 0

  /// - Parameters:
  ///   - socket: A stream; closed with this value.
  ///   - signal: Ends every wait.
  init(_ socket: consuming Descriptor, signal: WakeSignal) {
    self.socket = socket
    self.signal = signal
  }

  /// Why a line was not sent or received.
  enum Failure: Error { case ended, late, tooLong, unasked, stopped }

  /// Sends a line with its end.
  func send(_ line: String, until deadline: Instant) throws(Failure) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      // The call reads the bytes of this frame. Without the flag a program that has ended would raise SIGPIPE.
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        try wait(POLLOUT, until: deadline)
      } else {
        throw .ended
      }
    }
  }

  /// Checks that the program has written nothing before a command.
  ///
  /// - Throws: `unasked`, and `ended` for a program that has ended.
  mutating func requireSilence() throws(Failure) {
    if received.isEmpty, WakeSignal.wait(for: socket.number, POLLIN, or: nil, until: SystemClock().now) == .ready {
      try receive()
    }
    guard received.isEmpty else { throw .unasked }
  }

  /// Receives one line, without its end.
  mutating func next(until deadline: Instant) throws(Failure) -> [UInt8] {
    while true {
      if let end = received[searchedCount...].firstIndex(of: 0x0A) {
        let line = Array(received[..<end])
        received.removeFirst(end + 1)
        searchedCount = 0
        return line
      }
      guard received.count <= Self.maximumCount else { throw .tooLong }
      searchedCount = received.count
      try wait(POLLIN, until: deadline)
      try receive()
    }
  }

  private func wait(_ events: Int32, until deadline: Instant) throws(Failure) {
    switch WakeSignal.wait(for: socket.number, events, or: signal, until: deadline) {
    case .ready: return
    case .raised: throw .stopped
    case .timedOut: throw .late
    }
  }

  /// Appends what is there. The caller has waited for it.
  private mutating func receive() throws(Failure) {
    var room = [UInt8](repeating: 0, count: 65_536)
    // The kernel writes at most as many bytes as the room has.
    let count = unsafe room.withUnsafeMutableBytes { unsafe recv(socket.number, $0.baseAddress, $0.count, 0) }
    if count > 0 { received += room[..<count] }
    if count == 0 || count < 0 && errno != EINTR { throw .ended }
  }
}

internal import Glibc
internal import Octets
internal import POSIX

/// One end of the socket between a program and its `tap-nfc`. Sends and receives whole messages. Blocks.
package struct NFCSocket: ~Copyable, Sendable {
  private let descriptor: Int32
  private var frames = NFCFrames()

  /// Takes ownership of a connected stream socket, which is closed in `deinit`.
  package init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Closes the sending direction: the peer receives the end of the stream.
  package borrowing func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The result of a wait.
  package enum Arrival: Equatable, Sendable {
    /// A message was received.
    case message([UInt8])
    /// The time is up.
    case timedOut
    /// The peer has closed its end.
    case closed
  }

  /// Waits for a message.
  ///
  /// - Parameter timeout: How long to wait; nil is without a limit.
  /// - Throws: `NFCFailure` when the peer announces a message beyond the limit.
  package mutating func receive(timeout: Duration?) throws(NFCFailure) -> Arrival {
    let end = timeout.map { SystemClock().now + $0 }
    while true {
      if let message = try frames.next() { return .message(message) }
      guard WakeSignal.wait(for: descriptor, POLLIN, or: nil, until: end) == .ready else { return .timedOut }
      var room = [UInt8](repeating: 0, count: 4096)
      // The kernel writes at most as many bytes as the array has.
      let count = unsafe recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return .closed }
      frames.append(room[..<count])
    }
  }

  /// Sends a message.
  ///
  /// - Returns: Whether the message was sent; false when the peer has closed its end.
  package borrowing func send(_ message: [UInt8]) -> Bool {
    let frame = NFCFrames.framed(message)
    var sent = 0
    while sent < frame.count {
      let rest = Array(frame[sent...])
      // Without the flag a closed peer would raise SIGPIPE.
      let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

/// The frames on the socket between a program and its `tap-nfc`: the length in two bytes, big-endian, then the
/// message.
package struct NFCFrames: Sendable {
  /// The longest message in bytes: the longest connection string of libnfc and the longest list of devices fit.
  package static let maximumCount = 32_768

  private var octets: [UInt8] = []

  /// Creates a buffer without bytes.
  package init() {}

  /// Frames a message. A message of more than `maximumCount` bytes is a programming error and traps.
  package static func framed(_ message: [UInt8]) -> [UInt8] {
    precondition(message.count <= maximumCount, "a message to or from tap-nfc has at most 32768 bytes")
    return [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
  }

  /// Appends bytes from the socket.
  package mutating func append(_ more: some Sequence<UInt8>) { octets += more }

  /// Removes the next whole message; nil while it is incomplete.
  ///
  /// - Throws: `NFCFailure` when the peer announces a message of more than `maximumCount` bytes.
  package mutating func next() throws(NFCFailure) -> [UInt8]? {
    guard octets.count >= 2 else { return nil }
    let count = Int(octets[0]) << 8 | Int(octets[1])
    guard count <= Self.maximumCount else {
      throw NFCFailure(.other, "a message of \(count.bytes): the limit is \(Self.maximumCount)")
    }
    guard octets.count >= 2 + count else { return nil }
    defer { octets.removeFirst(2 + count) }
    return Array(octets[2..<(2 + count)])
  }
}

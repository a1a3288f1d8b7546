internal import Glibc

/// One end of the socket between engine and `tap-nfc`. Whole messages; blocks.
package struct NFCSocket: ~Copyable, Sendable {
  private let descriptor: Int32
  private var frames = NFCFrames()

  /// Takes a connected stream socket over; it is closed with its owner.
  package init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Tells the other end that nothing more will come.
  package borrowing func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What came of waiting.
  package enum Arrival: Equatable, Sendable {
    /// A message.
    case message([UInt8])
    /// Nothing, in time.
    case silence
    /// The other end is gone.
    case closed
  }

  /// Waits for a message.
  ///
  /// - Parameter timeout: How long; nil is without a limit.
  /// - Throws: `NFCFailure` when what comes is no frame.
  package mutating func receive(timeout: Duration?) throws(NFCFailure) -> Arrival {
    let end = timeout.map { ContinuousClock.now + $0 }
    while true {
      if let message = try frames.next() { return .message(message) }
      guard isReadable(until: end) else { return .silence }
      var room = [UInt8](repeating: 0, count: 4096)
      // The kernel writes at most as many octets as the array has.
      let count = unsafe recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return .closed }
      frames.append(room[..<count])
    }
  }

  private func isReadable(until end: ContinuousClock.Instant?) -> Bool {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = end.map { $0 - .now }
      let milliseconds = rest.map { Int32(clamping: max($0, .zero).wholeMilliseconds + 1) } ?? -1
      // One entry, of this frame.
      let count = unsafe poll(&entry, 1, milliseconds)
      if count > 0 { return true }
      if count == 0, let end, ContinuousClock.now >= end { return false }
    }
  }

  /// Sends a message.
  ///
  /// - Returns: Whether the other end is still there.
  package borrowing func send(_ message: [UInt8]) -> Bool {
    let frame = NFCFrames.framed(message)
    var sent = 0
    while sent < frame.count {
      let rest = Array(frame[sent...])
      // A peer that is gone is told by the result, not by a signal.
      let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

extension Duration {
  var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

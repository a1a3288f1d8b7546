internal import Glibc
internal import Octets
internal import POSIX

/// One end of a connection between a program and a device. Sends and receives whole messages.
struct LinkSocket: ~Copyable, Sendable {
  private let socket: Descriptor
  private var frames = LinkFrames()

  /// - Parameter socket: A connected stream socket.
  init(_ socket: consuming Descriptor) { self.socket = socket }

  var descriptor: Int32 { socket.number }

  /// The result of a wait.
  enum Arrival: Equatable, Sendable {
    /// A message was received.
    case message([UInt8])
    /// The peer closed its end.
    case closed
    /// The wake descriptor was raised.
    case woken
    /// The time is up.
    case timedOut
  }

  /// Waits for a message. Blocks.
  ///
  /// - Parameters:
  ///   - wake: Ends the wait when it is raised.
  ///   - end: Ends the wait; nil for no limit.
  ///   - terminal: Takes the first descriptor that comes with the bytes; further ones are closed.
  /// - Throws: `LinkFailure.length`.
  mutating func receive(
    wake: WakeSignal? = nil, until end: Instant? = nil, _ terminal: inout PromptTerminal?
  ) throws(LinkFailure) -> Arrival {
    while true {
      if let message = try frames.next() { return .message(message) }
      switch wait(wake, until: end) {
      case .ready: break
      case .raised: return .woken
      case .timedOut: return .timedOut
      }
      guard var octets = receivedOctets(&terminal) else { return .closed }
      frames.append(octets)
      octets.wipe()
    }
  }

  /// Whether bytes after the last message were received.
  var hasFurtherOctets: Bool { !frames.isEmpty }

  /// Waits until bytes or the end of the peer can be read. The wake descriptor comes first.
  borrowing func wait(_ wake: WakeSignal?, until end: Instant?) -> WakeSignal.Awakening {
    WakeSignal.wait(for: descriptor, POLLIN, or: wake, until: end)
  }

  /// Sends a message that is framed already, without a copy. Does not block.
  borrowing func send(frame: borrowing Secret) {
    // The block outlives the call, which reads it. A peer that has closed its end gets no response.
    _ = unsafe frame.withExposedStorage { storage in
      unsafe Glibc.send(descriptor, storage, frame.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
  }

  /// Sends messages in one call. Does not block: a connection carries few messages, which fit into the buffer of the
  /// kernel.
  ///
  /// - Parameter terminal: A descriptor that the peer gets a copy of.
  /// - Returns: Whether the messages were sent; false when the peer has closed its end.
  @discardableResult
  borrowing func send(_ messages: [[UInt8]], terminal: Int32? = nil) -> Bool {
    var octets = messages.flatMap(LinkFrames.framed)
    defer { octets.wipe() }
    return sentOctets(octets, terminal)
  }
}

internal import Glibc

/// A byte of standard input, or the reason for its absence.
package enum TypedOctet: Sendable, Equatable {
  /// A byte.
  case octet(UInt8)
  /// None came in time.
  case timedOut
  /// The input has ended.
  case end

  /// Whether standard input is a terminal, at which a person types.
  package static var comesFromTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Waits for a byte, and reads it: no more, so that the next reader of standard input misses nothing. Blocks.
  ///
  /// - Parameter milliseconds: How long it waits, at most a minute. A signal may end the wait earlier.
  package static func next(within milliseconds: Int64) -> TypedOctet {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    // One entry of this frame.
    guard unsafe poll(&entry, 1, Int32(max(0, min(milliseconds, 60_000)))) > 0 else { return .timedOut }
    var octet: UInt8 = 0
    // The kernel writes at most one byte.
    return unsafe read(STDIN_FILENO, &octet, 1) == 1 ? .octet(octet) : .end
  }
}

import Foundation
import Octets

/// A line that a person types, or that a pipe has, on standard input.
enum TypedLine {
  /// The most bytes of a line; further ones are read and dropped.
  static let maximumCount = 1_000

  /// Reads a line. Blocks.
  ///
  /// - Returns: The line without its end; nil at the end of the input, for a line that is not UTF-8, and after the time
  ///   limit.
  static func next(within limit: Duration) -> String? {
    let end = SystemClock().now + limit
    var line: [UInt8] = []
    while let octet = octet(until: end) {
      if octet == UInt8(ascii: "\n") { return String(validating: line, as: UTF8.self) }
      if line.count < maximumCount { line.append(octet) }
    }
    return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
  }

  /// Reads a byte; nil at the end of the input and after the time.
  static func octet(until end: Instant) -> UInt8? {
    while true {
      let left = end - SystemClock().now
      guard left > .zero else { return nil }
      var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      // One entry of this frame. Rounded up, so that the last wait does not spin.
      let count = unsafe poll(&entry, 1, Int32(clamping: left.components.seconds + 1) &* 1_000)
      guard count > 0 else { continue }
      var octet: UInt8 = 0
      // The kernel writes at most one byte.
      return unsafe read(STDIN_FILENO, &octet, 1) == 1 ? octet : nil
    }
  }
}

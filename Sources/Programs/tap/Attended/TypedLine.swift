import Foundation
import Octets
import ProgramSupport
import Synchronization

/// What a person types, or a pipe has, on standard input: single keys at a terminal, and lines.
enum TypedLine {
  /// The most bytes of a line; further ones are read and dropped.
  static let maximumCount = 1_000
  /// The settings of the terminal before single keys were read; nil while lines are read.
  private static let settings = Mutex<termios?>(nil)

  /// Reads a line. Blocks.
  ///
  /// - Returns: The line without its end; nil at the end of the input, for a line that is not UTF-8, and after the time
  ///   limit.
  static func next(within limit: Duration) -> String? {
    let end = SystemClock().now + limit
    var line: [UInt8] = []
    while case .octet(let octet) = entry(until: end) {
      if octet == UInt8(ascii: "\n") { return String(validating: line, as: UTF8.self) }
      if line.count < maximumCount { line.append(octet) }
    }
    return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
  }

  /// Reads a key, or from a pipe the first character of a line. Blocks.
  ///
  /// - Returns: The key in small letters, a line feed for Enter; nil at the end of the input and after the time limit.
  static func key(within limit: Duration) -> Character? {
    guard TypedOctet.comesFromTerminal else { return next(within: limit).map { $0.lowercased().first ?? "\n" } }
    return withSingleKeys {
      guard case .octet(let octet) = entry(until: SystemClock().now + limit) else { return nil }
      return Character(UnicodeScalar(octet)).lowercased().first
    }
  }

  /// Lets the terminal give single keys, without showing them, while a body runs.
  static func withSingleKeys<Value>(_ body: () -> Value) -> Value {
    beginKeys()
    defer { restore() }
    return body()
  }

  /// Lets the terminal give single keys until `restore()`.
  static func beginKeys() {
    settings.withLock { settings in
      var current = termios()
      // The calls fill and read the structure of this frame.
      guard settings == nil, unsafe tcgetattr(STDIN_FILENO, &current) == 0 else { return }
      settings = current
      current.c_lflag &= ~(tcflag_t(ICANON) | tcflag_t(ECHO))
      _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &current)
    }
  }

  /// Lets the terminal give lines again, as before single keys were read. Any thread may call this.
  static func restore() {
    settings.withLock { settings in
      guard var before = settings else { return }
      _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before)
      settings = nil
    }
  }

  /// Waits for a byte, and reads it.
  static func entry(until end: Instant) -> TypedOctet {
    while true {
      let left = end - SystemClock().now
      guard left > .zero else { return .timedOut }
      let (seconds, fraction) = left.components
      let entry = TypedOctet.next(within: seconds * 1_000 + fraction / 1_000_000_000_000_000 + 1)
      if entry != .timedOut { return entry }
    }
  }
}

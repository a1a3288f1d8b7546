internal import Foundation
import POSIX
internal import Synchronization

/// The characters that a person types, one at a time, for libedit. A signal ends the line.
enum TypedCharacters {
  private struct State {
    var isReading = false
    /// The signal that ended the line.
    var signal: Int32?
  }

  private static let state = Mutex(State())
  /// Nil when the process has no descriptors left: signals then wait for the next character.
  private static let wake = try? WakeSignal()

  /// Begins a line, which `interrupt(_:)` ends from now on.
  static func beginLine() {
    state.withLock { $0 = State(isReading: true) }
    wake?.clear()
  }

  /// Ends the line that is read now.
  ///
  /// - Returns: Whether a line is read now, or this signal has ended the last one: libedit sends each signal that it catches
  ///   again, when it has left raw mode.
  static func interrupt(_ signal: Int32) -> Bool {
    let (isReading, isRepeated) = state.withLock { state in
      let isRepeated = state.signal == signal
      if state.isReading { state.signal = signal }
      return (state.isReading, isRepeated)
    }
    if isReading { wake?.raise() }
    return isReading || isRepeated
  }

  /// Ends the line.
  ///
  /// - Returns: The signal that ended it; nil for none.
  static func endLine() -> Int32? {
    state.withLock { state in
      state.isReading = false
      return state.signal
    }
  }

  /// Reads a character. Blocks.
  ///
  /// - Returns: Its Unicode scalar; -1 at the end of the input and after a signal.
  static func next() -> Int32 {
    guard let first = octet() else { return -1 }
    // UTF-8 (RFC 3629, 3): the first byte has the count of bytes.
    let following = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
    var octets = [first]
    for _ in 0..<following {
      guard let next = octet() else { return -1 }
      octets.append(next)
    }
    return String(decoding: octets, as: UTF8.self).unicodeScalars.first.map { Int32(bitPattern: $0.value) } ?? -1
  }

  private static func octet() -> UInt8? {
    if let wake, wake.wait(for: STDIN_FILENO, POLLIN, timeout: nil) == .raised { return nil }
    var octet: UInt8 = 0
    // One byte of this frame.
    return unsafe read(STDIN_FILENO, &octet, 1) == 1 ? octet : nil
  }
}

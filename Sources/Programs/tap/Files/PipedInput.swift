import Foundation
import POSIX

/// Standard input that another program writes while it runs.
enum PipedInput {
  /// Bytes, a pause of the other program, or the end.
  enum Reading {
    case octets([UInt8])
    case pause
    case end
  }

  /// Whether standard input is a pipe.
  static var isPresent: Bool { (try? FileStatus(of: "/dev/stdin"))?.kind == .pipe }

  /// Waits for bytes. Blocks.
  ///
  /// - Parameter milliseconds: After how long without bytes the other program pauses; nil waits for bytes or the end.
  static func next(within milliseconds: Int32?) -> Reading {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    // One entry of this frame.
    guard unsafe poll(&entry, 1, milliseconds ?? -1) != 0 else { return .pause }
    let octets = [UInt8](FileHandle.standardInput.availableData)
    return octets.isEmpty ? .end : .octets(octets)
  }
}

internal import Glibc

/// A descriptor that becomes readable when it is raised, so that a thread in `poll` returns.
final class WakeDescriptor: Sendable {
  /// The descriptor to wait for.
  let descriptor: Int32
  private let input: Int32

  /// Returns nil when the process has no free descriptors.
  init?() {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    let result = unsafe pipe(&ends)
    (descriptor, input) = (ends[0], ends[1])
    guard result == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(descriptor)
    close(input)
  }

  /// Raises the descriptor. It stays raised.
  func raise() {
    var octet: UInt8 = 1
    // The call reads one octet of this frame. A pipe that is full is raised already.
    _ = unsafe write(input, &octet, 1)
  }
}

internal import Glibc

/// A file descriptor that is closed with its owner.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) {
    self.number = number
  }

  deinit { Glibc.close(number) }

  /// Another descriptor of the same file, above the numbers that a child process is given; negative when the process
  /// has no descriptors left. The caller closes it.
  static func highCopy(of number: Int32) -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 10) }
}

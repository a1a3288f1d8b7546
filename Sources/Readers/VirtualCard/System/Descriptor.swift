internal import Glibc
internal import Links
internal import Synchronization

/// A file descriptor that is closed when its owner lets go of it.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) {
    self.number = number
  }

  deinit { Glibc.close(number) }

  /// Another descriptor of the same file, above the numbers that a child is given.
  static func highCopy(of number: Int32) -> Int32 { fcntl(number, F_DUPFD_CLOEXEC, 10) }
}

/// Wakes a thread that polls, from any other, for good: once raised it stays raised.
final class WakeSignal: Sendable {
  private let readEnd: Descriptor
  private let writeEnd: Descriptor
  private let flag = Atomic(false)

  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  init() throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    // A pair of sockets and not a pipe: it is made non-blocking and private to this process in one call.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw LinkError(.transmissionFailed, "no signal to wake the link with: \(systemErrorText(errno))")
    }
    readEnd = Descriptor(owning: ends[0])
    writeEnd = Descriptor(owning: ends[1])
  }

  func raise() {
    flag.store(true, ordering: .releasing)
    var octet: UInt8 = 1
    // One octet from a local; a full buffer refuses it, and the signal is raised already.
    _ = unsafe write(writeEnd.number, &octet, 1)
  }

  /// For another signal to wait on.
  var readable: (descriptor: Int32, events: Int32) { (readEnd.number, POLLIN) }

  var isRaised: Bool { flag.load(ordering: .acquiring) }

  enum Awakening { case ready, raised, timedOut }

  /// Waits until a descriptor is ready or the signal is raised, which comes first when both are true.
  ///
  /// - Parameters:
  ///   - wanted: The descriptor and `POLLIN` or `POLLOUT`; an error on it counts as ready.
  ///   - timeout: How long; nil is without a limit.
  func wait(for wanted: (descriptor: Int32, events: Int32)?, timeout: Duration?) -> Awakening {
    let end = timeout.map { ContinuousClock.now + $0 }
    while true {
      var polled: [2 of pollfd] = [
        pollfd(fd: readEnd.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wanted?.descriptor ?? -1, events: Int16(truncatingIfNeeded: wanted?.events ?? 0), revents: 0),
      ]
      var entries = polled.mutableSpan
      // The span holds exactly the two entries that the kernel is told of.
      let count = unsafe entries.withUnsafeMutableBufferPointer { list in
        unsafe poll(list.baseAddress, nfds_t(list.count), end.map { milliseconds(until: $0) } ?? -1)
      }
      if count < 0 { continue }  // EINTR; nothing else can happen to two valid entries.
      if polled[0].revents != 0 { return .raised }
      if polled[1].revents != 0 { return .ready }
      if let end, ContinuousClock.now >= end { return .timedOut }
    }
  }

  private func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let rest = end - .now
    guard rest > .zero else { return 0 }
    // Rounded up, so that the last wait does not spin.
    let (seconds, attoseconds) = rest.components
    return Int32(clamping: min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}

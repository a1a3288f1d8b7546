internal import Glibc
internal import Links
internal import Octets

/// Wakes a thread that waits for descriptors, from any other thread.
struct Bell: ~Copyable, Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  /// - Throws: `LinkError.Code.transmissionFailed` when the process has no descriptors left.
  init() throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw LinkError(.transmissionFailed, "no signal to wake a simulated reader: \(systemErrorText(errno))")
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    Glibc.close(readEnd)
    Glibc.close(writeEnd)
  }

  /// Ends the wait that goes on, or the next one.
  func ring() {
    var octet: UInt8 = 1
    // One octet of a local; when the buffer is full, the bell rings already.
    _ = unsafe write(writeEnd, &octet, 1)
  }

  /// Waits until a descriptor has something to read, the bell rings, or the time is up. May return a little early: with
  /// `poll` the kernel counts milliseconds, so the last one is slept through in small steps.
  ///
  /// - Parameters:
  ///   - descriptors: Negative ones are passed over.
  ///   - timeout: nil is without a limit.
  /// - Returns: Those descriptors that are ready.
  func wait(for descriptors: [Int32], timeout: Duration?) -> [Int32] {
    var entries = ([readEnd] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = entries.count
    // The kernel reads and writes exactly the entries.
    _ = unsafe poll(&entries, nfds_t(count), milliseconds(timeout))
    if entries[0].revents != 0 {
      var room = [UInt8](repeating: 0, count: 64)
      // At most as many octets as the array has.
      _ = unsafe read(readEnd, &room, room.count)
    }
    return entries.dropFirst().filter { $0.revents != 0 }.map(\.fd)
  }

  private func milliseconds(_ timeout: Duration?) -> Int32 {
    guard let nanoseconds = timeout?.nanoseconds else { return -1 }
    let whole = Int32(clamping: nanoseconds / 1_000_000)
    if whole == 0, nanoseconds > 0 { usleep(UInt32(min(nanoseconds / 1000 + 1, 100))) }
    return whole
  }
}

internal import Glibc
package import Octets
internal import Synchronization
internal import SystemPackage

/// Wakes a thread that waits for file descriptors, from any other thread.
///
/// A raised signal stays raised until `clear()`.
package final class WakeSignal: Sendable {
  /// How a wait for one descriptor ended.
  package enum Awakening: Sendable { case ready, raised, timedOut }

  private let output: Descriptor
  private let input: Descriptor
  private let flag = Atomic(false)

  /// - Throws: When the process has no descriptors left.
  package init() throws(SystemError) {
    let ends = try calling { try FileDescriptor.pipe(options: [.nonBlocking, .closeOnExec]) }
    output = Descriptor(owning: ends.readEnd.rawValue)
    input = Descriptor(owning: ends.writeEnd.rawValue)
  }

  /// Ends the wait that is under way and each later one until `clear()`. Any thread may call this.
  package func raise() {
    flag.store(true, ordering: .releasing)
    var byte: UInt8 = 1
    // The call reads one byte of this frame. A full pipe refuses it; the signal is raised already then.
    _ = unsafe write(input.number, &byte, 1)
  }

  /// Lowers the signal. Only the waiting thread calls this, before it reads the state for which it was woken.
  package func clear() {
    flag.store(false, ordering: .releasing)
    var bytes: [64 of UInt8] = InlineArray(repeating: 0)
    var span = bytes.mutableSpan
    // The kernel writes at most as many bytes as the buffer has.
    unsafe span.withUnsafeMutableBytes { _ = unsafe read(output.number, $0.baseAddress, $0.count) }
  }

  /// Whether the signal is raised.
  package var isRaised: Bool { flag.load(ordering: .acquiring) }

  /// A descriptor that is readable while the signal is raised, for the wait of another signal.
  package var descriptor: Int32 { output.number }

  /// Waits until a descriptor is ready or the signal is raised. If both are true, the result is `.raised`.
  ///
  /// - Parameters:
  ///   - descriptor: An error or the end of the stream on it counts as ready.
  ///   - events: `POLLIN` or `POLLOUT`.
  ///   - timeout: nil waits without a limit.
  package func wait(for descriptor: Int32, _ events: Int32, timeout: Duration?) -> Awakening {
    Self.wait(for: descriptor, events, or: self, until: timeout.map { SystemClock().now + $0 })
  }

  /// Waits until a descriptor is ready, a signal is raised or the deadline has passed. A raised signal comes first.
  ///
  /// - Parameters:
  ///   - signal: nil waits for the descriptor alone.
  ///   - deadline: nil waits without a limit.
  package static func wait(
    for descriptor: Int32, _ events: Int32, or signal: WakeSignal?, until deadline: Instant?
  ) -> Awakening {
    while true {
      // The kernel ignores an entry with a negative descriptor.
      var polled: [2 of pollfd] = [
        pollfd(fd: signal?.output.number ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
      ]
      var entries = polled.mutableSpan
      // The span holds exactly the two entries that the kernel reads and writes.
      let count = unsafe entries.withUnsafeMutableBufferPointer { list in
        unsafe poll(list.baseAddress, nfds_t(list.count), milliseconds(until: deadline))
      }
      // EINTR: no other error is possible with valid entries.
      if count < 0 { continue }
      if polled[0].revents != 0 { return .raised }
      if polled[1].revents != 0 { return .ready }
      if let deadline, SystemClock().now >= deadline { return .timedOut }
    }
  }

  /// Waits until one of several descriptors is readable, the signal is raised or the time is over. Returns at most one
  /// millisecond early.
  ///
  /// - Parameters:
  ///   - descriptors: Negative ones are ignored.
  ///   - timeout: nil waits without a limit.
  /// - Returns: The descriptors that are readable.
  package func wait(for descriptors: [Int32], timeout: Duration?) -> [Int32] {
    var entries = ([output.number] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = entries.count
    // The kernel reads and writes exactly the entries.
    _ = unsafe poll(&entries, nfds_t(count), Self.wholeMilliseconds(timeout))
    return entries.dropFirst().filter { $0.revents != 0 }.map(\.fd)
  }

  /// Rounded up, so that the last wait of a series does not spin.
  private static func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = max(deadline - SystemClock().now, .zero).nanoseconds
    return rest == 0 ? 0 : Int32(clamping: rest / 1_000_000 + 1)
  }

  /// Rounded down. `poll` counts milliseconds, so this sleeps through a part of the last one, at most 100 us.
  private static func wholeMilliseconds(_ timeout: Duration?) -> Int32 {
    guard let nanoseconds = timeout?.nanoseconds else { return -1 }
    if (1..<1_000_000).contains(nanoseconds) { usleep(UInt32(min(nanoseconds / 1000 + 1, 100))) }
    return Int32(clamping: nanoseconds / 1_000_000)
  }
}

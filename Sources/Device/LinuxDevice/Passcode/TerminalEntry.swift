internal import Glibc
internal import Octets
internal import Synchronization

/// Writes to a terminal and reads lines from it without echo, until it is cancelled.
///
/// The terminal belongs to the client, which can stop its output (Ctrl-S) or read its input. No call here waits for it
/// without a limit.
final class TerminalEntry: Sendable {
  /// PAM's limit for an answer, in octets (PAM_MAX_RESP_SIZE).
  static let maximumCount = 512
  /// How long a text may wait for a terminal whose output is stopped. The rest of the text is dropped then.
  private static let writeLimit = Duration.seconds(5)

  private let descriptor: Int32
  private let wakeOutput: Int32
  private let wakeInput: Int32
  private let answered = Atomic(false)
  private let closed = Atomic(false)

  /// - Parameter descriptor: A terminal. This object uses a copy of the descriptor, so the original may be closed.
  /// - Returns: Nil when the process has no free descriptors.
  init?(on descriptor: Int32) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    let result = unsafe pipe(&ends)
    (wakeOutput, wakeInput) = (ends[0], ends[1])
    guard result == 0, self.descriptor >= 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    for number in [descriptor, wakeOutput, wakeInput] where number >= 0 { close(number) }
  }

  /// Whether a line was read.
  var wasAnswered: Bool { answered.load(ordering: .acquiring) }

  /// Whether the prompt was cancelled, or the person closed it with the end-of-file character.
  var wasClosed: Bool { closed.load(ordering: .acquiring) }

  /// Ends the prompt, now or when it opens.
  func cancel() {
    closed.store(true, ordering: .releasing)
    var octet: UInt8 = 1
    // The call reads one octet of this frame.
    _ = unsafe Glibc.write(wakeInput, &octet, 1)
  }

  /// Writes a text without its control characters, which could change what the terminal shows.
  func write(_ text: String) {
    let octets = Array(
      String(text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }).utf8)
    let end = SystemClock().now + Self.writeLimit
    var rest = octets[...]
    while !rest.isEmpty {
      disableBlocking()
      // The buffer outlives the call.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        guard wait(for: POLLOUT, until: end) else { return }
      } else if errno != EINTR {
        return
      }
    }
  }

  // Before each call: the client shares the flag, which belongs to the open file.
  private func disableBlocking() {
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0, flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Asks for a line. The terminal shows it only when `echoes` is true, and drops what was typed before.
  ///
  /// - Returns: The octets without the line end; nil when the prompt was cancelled or closed. The caller wipes them.
  func line(after prompt: String, echoes: Bool) -> [UInt8]? {
    var settings = termios()
    // The calls fill and read the structure of this frame.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    var hidden = settings
    hidden.c_lflag |= tcflag_t(ICANON) | tcflag_t(ISIG)
    if !echoes { hidden.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ECHONL)) }
    change(to: &hidden)
    defer {
      change(to: &settings)
      write("\n")
    }
    write(prompt)
    return readLine()
  }

  // TCSAFLUSH and TCSADRAIN wait until the terminal has shown its output, which a stopped one never does.
  private func change(to settings: inout termios) {
    unsafe tcsetattr(descriptor, TCSANOW, &settings)
    tcflush(descriptor, TCIFLUSH)
  }

  private func readLine() -> [UInt8]? {
    var line: [UInt8] = []
    var room = [UInt8](repeating: 0, count: Self.maximumCount)
    defer { room.wipe() }
    while wait(for: POLLIN, until: nil) {
      disableBlocking()
      // The kernel writes at most as many octets as the array has.
      let count = unsafe read(descriptor, &room, room.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else {
        line.wipe()
        closed.store(true, ordering: .releasing)
        return nil
      }
      line.append(contentsOf: room[..<count])
      guard line.last == UInt8(ascii: "\n") || line.count >= Self.maximumCount else { continue }
      answered.store(true, ordering: .releasing)
      return Array(line.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }.prefix(Self.maximumCount - 1))
    }
    line.wipe()
    return nil
  }

  /// Waits until the terminal has input or takes output. Returns false when the prompt was cancelled, or after the end.
  private func wait(for event: Int32, until end: Instant?) -> Bool {
    while !wasClosed {
      var entries = [
        pollfd(fd: wakeOutput, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(event), revents: 0),
      ]
      let rest = end.map { max($0 - SystemClock().now, .zero).nanoseconds / 1_000_000 + 1 }
      // Two entries, of this frame.
      let count = unsafe poll(&entries, 2, rest.map { Int32(clamping: $0) } ?? -1)
      if entries[0].revents == 0, entries[1].revents != 0 { return true }
      if count == 0, let end, SystemClock().now >= end { return false }
    }
    return false
  }
}

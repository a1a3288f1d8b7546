internal import Glibc
internal import Octets
internal import POSIX
internal import Synchronization

/// Writes to a terminal and reads lines from it without echo, until it is cancelled.
///
/// The terminal belongs to the client, which can stop its output (Ctrl-S) or read its input. No call here waits for it
/// without a limit.
final class TerminalEntry: Sendable {
  /// PAM's limit for an answer, in bytes (PAM_MAX_RESP_SIZE).
  static let maximumCount = 512
  /// How long a text may wait for a terminal whose output is stopped. The rest of the text is dropped then.
  private static let writeLimit = Duration.seconds(5)

  private let descriptor: Int32
  private let wake: WakeSignal
  private let answered = Atomic(false)
  private let closed = Atomic(false)

  /// - Parameter descriptor: A terminal. This object uses a copy of the descriptor, so the original may be closed.
  /// - Returns: Nil when the process has no free descriptors.
  init?(on descriptor: Int32) {
    guard let wake = try? WakeSignal() else { return nil }
    self.wake = wake
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard self.descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether a line was read.
  var wasAnswered: Bool { answered.load(ordering: .acquiring) }

  /// Whether the prompt was cancelled, or the person closed it with the end-of-file character.
  var wasClosed: Bool { closed.load(ordering: .acquiring) }

  /// Ends the prompt, now or when it opens.
  func cancel() {
    closed.store(true, ordering: .releasing)
    wake.raise()
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
  /// - Returns: The bytes without the line end; nil when the prompt was cancelled or closed. The caller wipes them.
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
      // The kernel writes at most as many bytes as the array has.
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
    guard !wasClosed else { return false }
    return wake.wait(for: descriptor, event, timeout: end.map { max($0 - SystemClock().now, .zero) }) == .ready
  }
}

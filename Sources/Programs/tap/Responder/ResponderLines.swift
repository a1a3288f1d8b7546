import Glibc
import ISO7816
import Octets
import POSIX

/// The lines that are sent to a program and received from it. Owned by the thread of the link.
struct ResponderLines: ~Copyable {
  /// The longest line: a response with a space after each byte, and a line end of two characters.
  static let maximumCount = ResponseAPDU.maximumCount * 3 + 2

  /// The other end of the program's standard input.
  private let input: Descriptor
  /// The other end of the program's standard output.
  private let output: Descriptor
  private let signal: WakeSignal
  private var received: [UInt8] = []
  /// How many bytes of `received` are known to hold no line end.
  private var searchedCount = 0

  /// - Parameters:
  ///   - input: A socket, the other end of the program's standard input; closed with this value.
  ///   - output: A socket, the other end of its standard output; closed with this value.
  ///   - signal: Ends every wait.
  init(input: consuming Descriptor, output: consuming Descriptor, signal: WakeSignal) {
    self.input = input
    self.output = output
    self.signal = signal
  }

  /// Why a line was not sent or received.
  enum Failure: Error { case ended, closedInput, closedOutput, late, tooLong, unasked, stopped }

  /// Sends a line with its end.
  func send(_ line: String, until deadline: Instant) throws(Failure) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      // The call reads the bytes of this frame. Without the flag a program that has ended would raise SIGPIPE.
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          input.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        try wait(for: input.number, POLLOUT, until: deadline)
      } else {
        throw closedInput(until: deadline)
      }
    }
  }

  /// Checks that the program has written nothing before a command.
  ///
  /// - Throws: `unasked`, and `ended` for a program that has ended.
  mutating func requireSilence(until deadline: Instant) throws(Failure) {
    if received.isEmpty, WakeSignal.wait(for: output.number, POLLIN, or: nil, until: SystemClock().now) == .ready {
      try receive(until: deadline)
    }
    guard received.isEmpty else { throw .unasked }
  }

  /// Receives one line, without its end.
  mutating func next(until deadline: Instant) throws(Failure) -> [UInt8] {
    while true {
      if let end = received[searchedCount...].firstIndex(of: 0x0A) {
        let line = Array(received[..<end])
        received.removeFirst(end + 1)
        searchedCount = 0
        return line
      }
      guard received.count <= Self.maximumCount else { throw .tooLong }
      searchedCount = received.count
      try wait(for: output.number, POLLIN, until: deadline)
      try receive(until: deadline)
    }
  }

  private func wait(for number: Int32, _ events: Int32, until deadline: Instant) throws(Failure) {
    switch WakeSignal.wait(for: number, events, or: signal, until: deadline) {
    case .ready: return
    case .raised: throw .stopped
    case .timedOut: throw isInputOpen ? .late : .closedInput
    }
  }

  /// Appends what is there. The caller has waited for it.
  private mutating func receive(until deadline: Instant) throws(Failure) {
    var room = [UInt8](repeating: 0, count: 65_536)
    // The kernel writes at most as many bytes as the room has.
    let count = unsafe room.withUnsafeMutableBytes { unsafe recv(output.number, $0.baseAddress, $0.count, 0) }
    if count > 0 { received += room[..<count] }
    if count == 0 || count < 0 && errno != EINTR { throw closedOutput(until: deadline) }
  }

  /// Whether the program still reads.
  private var isInputOpen: Bool {
    var entry = pollfd(fd: input.number, events: 0, revents: 0)
    // One entry of this frame.
    return unsafe poll(&entry, 1, 0) == 0 || entry.revents & Int16(POLLHUP) == 0
  }

  /// The reason why the program writes no more. A program that ends closes its input too, soon after or before its output.
  private func closedOutput(until deadline: Instant) -> Failure {
    switch WakeSignal.wait(for: input.number, 0, or: signal, until: deadline) {
    case .ready: .ended
    case .raised: .stopped
    case .timedOut: .closedOutput
    }
  }

  /// The reason why the program takes no line: its output ends too where the program has ended.
  private func closedInput(until deadline: Instant) -> Failure {
    var octet: UInt8 = 0
    guard WakeSignal.wait(for: output.number, POLLIN, or: signal, until: deadline) == .ready else {
      return .closedInput
    }
    // The kernel writes at most one byte into this frame.
    return unsafe recv(output.number, &octet, 1, Int32(MSG_PEEK)) > 0 ? .closedInput : .ended
  }
}

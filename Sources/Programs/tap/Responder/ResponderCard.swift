import ISO7816
import Links
import Octets
import POSIX

/// A card whose responses come from a program of the user. It has no keys and is never armed.
///
/// For each command the program gets one line of hexadecimal digits and writes one. Field events are lines of words, which
/// have no response. Owned by the thread of its link.
struct ResponderCard: CommandResponder, ~Copyable {
  /// What the program may take, and what is added.
  struct Times: Sendable {
    /// How long the program may take for one response.
    var limit: Duration
    /// How long the card waits before each response is passed on; zero for a card that a laboratory alone reaches.
    var addedWait = Duration.zero
  }

  /// How many commands the program has answered.
  private(set) var answeredCount = 0
  /// Why the tap ended early; nil without a reason.
  private(set) var failure: ResponderError?

  private var lines: ResponderLines
  private let signal: WakeSignal
  private let times: Times
  private let link: any EmulationLink
  private let clock: any MonotonicClock = SystemClock()

  /// - Parameters:
  ///   - lines: Those of the program.
  ///   - signal: Ends every wait for the program.
  ///   - link: The link that serves this card. It is stopped after a failure, and when the field is lost after a command.
  init(_ lines: consuming ResponderLines, signal: WakeSignal, times: Times, link: any EmulationLink) {
    self.lines = lines
    (self.signal, self.times, self.link) = (signal, times, link)
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    do throws(ResponderError) {
      let octets = try answer(command.hex, atMost: response.byteCount)
      answeredCount += 1
      response.copy(octets.span, to: 0)
      return octets.count
    } catch {
      failure = failure ?? error
      // The link is stopped and does not pass this on.
      link.stop()
      response.put(UInt16(0x6F00), at: 0)
      return 2
    }
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    // A program that takes no more lines is reported with the next command.
    if failure == nil { try? lines.send(event.responderLine, until: clock.now + times.limit) }
    if event == .lost, answeredCount > 0 { link.stop() }
  }

  private mutating func answer(_ command: String, atMost room: Int) throws(ResponderError) -> [UInt8] {
    if let failure { throw failure }
    let number = answeredCount + 1
    let line = try line(after: command, number)
    let octets: [UInt8]
    do throws(OctetsError) {
      octets = try [UInt8](hex: String(decoding: line, as: UTF8.self))
    } catch { throw .notHexadecimal(commandNumber: number, error) }
    guard (2...room).contains(octets.count) else {
      throw .wrongSize(commandNumber: number, count: octets.count, limit: room)
    }
    // Ends early with the tap, whose link drops the response then.
    if times.addedWait > .zero { _ = signal.wait(for: -1, 0, timeout: times.addedWait) }
    return octets
  }

  private mutating func line(after command: String, _ number: Int) throws(ResponderError) -> [UInt8] {
    let end = clock.now + times.limit
    do throws(ResponderLines.Failure) {
      try lines.requireSilence(until: end)
      try lines.send(command, until: end)
      return try lines.next(until: end)
    } catch {
      switch error {
      case .ended: throw .ended(commandNumber: number)
      case .closedInput: throw .closedInput(commandNumber: number)
      case .closedOutput: throw .closedOutput(commandNumber: number)
      case .late: throw .late(commandNumber: number, times.limit)
      case .tooLong: throw .tooLong(commandNumber: number)
      case .unasked: throw .unasked(commandNumber: number)
      case .stopped: throw .stopped
      }
    }
  }
}

extension FieldEvent {
  /// The line that a program gets. It is no hexadecimal number.
  var responderLine: String {
    switch self {
    case .powered: "field on"
    case .reset: "reset"
    case .deselected: "deselected"
    case .lost: "field off"
    }
  }
}

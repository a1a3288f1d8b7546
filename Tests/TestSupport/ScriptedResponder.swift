public import ISO7816
import Links
public import Octets

/// A card with a table of responses, for contract tests of links and channels.
public struct ScriptedResponder: CommandResponder, Sendable {
  /// When the card answers.
  public enum Pace: Sendable {
    /// At once.
    case prompt
    /// After a time, in real time.
    case slow(Duration)
    /// When the gate is opened.
    case held(Gate)
  }

  /// Stops a card in the middle of a command.
  public final class Gate: Sendable {
    private let isOpen = WaitableState(false)

    /// Creates a closed gate.
    public init() {}

    /// Releases each held command, now and later.
    public func open() { isOpen.update { $0 = true } }

    func pass() { _ = isOpen.wait { $0 ? true : nil } }
  }

  private let answers: [[UInt8]: [UInt8]]
  private let otherwise: [UInt8]
  private let pace: Pace
  private let journal: ResponderJournal

  /// Creates a card.
  ///
  /// - Parameters:
  ///   - answers: The response of each command.
  ///   - otherwise: The response to every other command.
  ///   - journal: Where the card notes what reaches it.
  public init(
    _ answers: [[UInt8]: [UInt8]] = [:], otherwise: [UInt8] = [0x6D, 0x00], pace: Pace = .prompt,
    journal: ResponderJournal = ResponderJournal()
  ) {
    self.answers = answers
    self.otherwise = otherwise
    self.pace = pace
    self.journal = journal
  }

  /// Notes the command and returns the response of the table.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    let command = command.array
    journal.note(.command(command), at: instant)
    switch pace {
    case .prompt: break
    case .slow(let delay): pause(for: delay)
    case .held(let gate): gate.pass()
    }
    let answer = answers[command] ?? otherwise
    guard answer.count <= response.byteCount else {
      response.put(UInt16(0x6F00), at: 0)
      return 2
    }
    response.copy(answer.span, to: 0)
    return answer.count
  }

  /// Notes the event.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    journal.note(.field(event), at: instant)
  }
}

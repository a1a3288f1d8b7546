import CardExploration
import ISO7816
import Links
import Octets
import POSIX
import ProgramSupport
import Transcripts

/// What programs send to the card of a simulated reader, and what it answers: shown and recorded.
///
/// The thread of the card only keeps an exchange. A task prints it, so that a slow terminal window does not change the
/// response times of the card.
final class LabTraffic: Sendable {
  private enum Event: Sendable {
    case exchange(Transcript.Exchange)
    /// The card was reset, or has lost its power.
    case fieldChanged
    case payment(PaymentLine)
  }

  private let recording = Recording(role: .card)
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  /// Whether each exchange is printed with its meaning.
  let isShown: Bool
  private let file: OutputFile?

  /// - Parameter file: Where the recording is written; nil for no recording.
  init(isShown: Bool, file: OutputFile?) {
    (events, continuation) = AsyncStream.makeStream()
    (self.isShown, self.file) = (isShown, file)
  }

  /// Serves a card on a link until the link ends.
  func serve(_ card: consuming SlottedCard, on link: any EmulationLink) throws(LinkError) {
    var watched = WatchedCard(base: card, traffic: self)
    try RecordingLink(link, recording: recording).serve(&watched)
  }

  /// Prints exchanges and payments until `end()`. The numbers of exchanges begin again when the card is reset.
  func show() async throws {
    let disclosure = try Disclosure(showsAll: false)
    var lines = ExchangeLines(disclosure)
    for await event in events {
      switch event {
      case .fieldChanged: lines = ExchangeLines(disclosure)
      case .exchange(let exchange): lines.print(exchange, .asked)
      case .payment(let line): try line.print(as: .text)
      }
    }
  }

  /// Prints a payment in its place between the exchanges.
  func show(_ line: PaymentLine) { continuation.yield(.payment(line)) }

  /// Ends `show()` when everything is printed.
  func end() { continuation.finish() }

  /// Writes the recording, if one was asked for: redacted, unless its cards are test cards.
  func write() throws {
    try file?.writeAndReport(Disclosure(showsAll: false).shown(recording.transcript).text.utf8)
  }

  /// Passes on the exchange that was recorded last.
  fileprivate func answered() {
    guard isShown, let last = recording.transcript.exchanges.last else { return }
    continuation.yield(.exchange(last))
  }

  fileprivate func fieldChanged() { if isShown { continuation.yield(.fieldChanged) } }
}

/// The card inside a recording: reports each of its responses when it is in the recording.
private struct WatchedCard: CommandResponder, ~Copyable {
  var base: SlottedCard
  let traffic: LabTraffic
  private var hasAnswered = false

  init(base: consuming SlottedCard, traffic: LabTraffic) {
    self.base = base
    self.traffic = traffic
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    report()
    hasAnswered = true
    return base.respond(to: command, at: instant, into: &response)
  }

  mutating func responseSent() {
    report()
    base.responseSent()
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    report()
    traffic.fieldChanged()
    base.fieldChanged(event, at: instant)
  }

  private mutating func report() {
    if hasAnswered { traffic.answered() }
    hasAnswered = false
  }
}

import EMVData
import EMVTerminal
import Links
import Octets
import PaymentAcceptance
import Transcripts

extension ReaderKind {
  /// A recorded card.
  static let replay = ReaderKind(
    prefix: "replay", placeholder: "FILE",
    open: { file, _ in ReplayPlace(transcript: try RecordingFile.transcript(at: file)) })
}

/// Payments with a recorded card.
private struct ReplayPlace: PaymentPlace {
  let transcript: Transcript

  var isAttended: Bool { false }
  var recording: Transcript? { transcript }

  func host() -> any AuthorizationHost { transcript[.host].map(RecordedHost.init) ?? ShippedCards.host() }

  func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentResult {
    try ReplayTap(transcript: transcript, configuration: terminal.configuration, host: terminal.host).run(request)
  }
}

/// This build's terminal against a recorded card.
struct ReplayTap {
  let transcript: Transcript
  let configuration: TerminalConfiguration
  let host: any AuthorizationHost

  /// Takes the payment.
  ///
  /// - Throws: `TranscriptDifference` for the first command that is not the recorded one.
  func run(_ request: PaymentRequest) throws -> PaymentResult {
    let clock = ManualClock()
    let channel = ReplayChannel(transcript, moving: clock)
    // The number of restarts that the recorded terminal allowed; the recording ends the payment.
    let count = min(transcript[.restarts].flatMap(Int.init) ?? 0, Transcript.maximumExchangeCount)
    let terminal = PaymentAcceptance(
      configuration: configuration, host: host, clock: clock,
      random: random().map(ReplayRandomSource.init) ?? SystemRandomSource(),
      restarts: RestartLimits(count: max(0, count), duration: .nanoseconds(Int64.max)))
    var field = ReplayField(channel: channel)
    let result = terminal.result(of: request, at: &field)
    channel.close()
    if let difference = channel.difference { throw difference }
    return result
  }

  /// The unpredictable number, from the directive or from what the terminal sent.
  private func random() -> [UInt8]? {
    transcript.random ?? RecordedTerminalData(transcript)[.unpredictableNumber]
  }
}

extension TranscriptDifference: Error {}

/// A recorded field: every tap continues where the recording stands.
struct ReplayField: CardField {
  let channel: ReplayChannel

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    var channel = channel
    visitor.visit(&channel)
  }

  /// A recorded card is never another one.
  mutating func hasCardLeft(after error: LinkError) -> Bool { false }
}

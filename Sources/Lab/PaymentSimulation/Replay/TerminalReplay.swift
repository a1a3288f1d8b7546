internal import EMVData
public import EMVTerminal
internal import Links
internal import Octets
public import PaymentAcceptance
public import Transcripts

/// A terminal of this build at a recorded card.
public struct TerminalReplay: Sendable {
  private let transcript: Transcript
  private let configuration: TerminalConfiguration
  private let host: any AuthorizationHost

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - transcript: A recording of the terminal's side.
  ///   - configuration: The terminal.
  ///   - host: Decides on online requests; `RecordedHost` decides as recorded.
  public init(_ transcript: Transcript, configuration: TerminalConfiguration, host: any AuthorizationHost) {
    self.transcript = transcript
    self.configuration = configuration
    self.host = host
  }

  /// Takes a payment with the recorded card, clock and random bytes. Blocks.
  ///
  /// - Throws: `ReplayError` for a recording that is incomplete, for a directive `authentication` or `log` that no
  ///   terminal writes, and for the first command that is not the recorded one.
  public func pay(_ request: PaymentRequest) throws(ReplayError) -> PaymentResult {
    if let truncation = transcript.truncation { throw .incomplete(truncation) }
    let clock = ManualClock()
    let channel = ReplayChannel(transcript, moving: clock)
    // The recording ends the payment, not the duration.
    let count = min(transcript[.restarts].flatMap { Int($0) } ?? 0, Transcript.maximumExchangeCount)
    var terminal = PaymentAcceptance(
      configuration: configuration, host: host, clock: clock,
      random: random.map(ReplayRandomSource.init) ?? SystemRandomSource(),
      restarts: RestartLimits(count: max(0, count), duration: .nanoseconds(Int64.max)))
    terminal.findings = try findings()
    var field = ReplayField(channel: channel)
    let result = terminal.result(of: request, at: &field)
    if let difference = channel.finish() { throw .different(difference) }
    return result
  }

  private func findings() throws(ReplayError) -> TerminalFindings {
    do throws(RecordedFindingsError) {
      return try TerminalFindings(transcript)
    } catch { throw .unusable("\(error)") }
  }

  /// The recorded random bytes, or the unpredictable number that the recorded terminal sent; nil without either.
  private var random: [UInt8]? {
    transcript.random ?? RecordedTerminalData(transcript)[.unpredictableNumber]
  }
}

/// The field of a recorded reader: every tap continues where the recording stands.
private struct ReplayField: CardField {
  let channel: ReplayChannel

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    var channel = channel
    visitor.visit(&channel)
  }

  // The next card is in the recording as well.
  mutating func hasCardLeft(after error: LinkError) -> Bool { false }
}

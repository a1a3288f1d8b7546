public import EMVIssuer
public import Transcripts

/// A recorded tap, which is replayed against this build: the terminal's side against a recorded card, or the card's
/// side against a recorded terminal.
///
/// A recording reproduces when this build sends every recorded command or response, byte by byte except where the
/// recording says that a data element varies, and when the payment or session ends as recorded. A recording that was
/// cut off does not reproduce.
public struct TranscriptReplay: Sendable {
  /// What a successful replay reports.
  public struct Report: Hashable, Sendable {
    /// The side of this build that was replayed.
    public let role: Transcript.Role
    /// The number of exchanges.
    public let exchangeCount: Int
    /// What was not compared, with the reason, as sentences.
    public let notes: [String]
  }

  /// The recording.
  public let transcript: Transcript
  private let terminal: [UInt8]
  private let card: [UInt8]?
  private let keys: IssuerKeys

  /// Creates a recorded tap.
  ///
  /// - Parameters:
  ///   - transcript: The recording. Without the directive `role` it is taken for one of the terminal's side.
  ///   - terminal: A terminal profile as JSON, for recordings of other tools, which hold none. Values that the recorded
  ///     terminal sent to the card replace those of the profile.
  ///   - card: The card's profile as JSON, for recordings of the card's side; nil for the profile in the recording. Both
  ///     sides are compared without cardholder data, since a recording of a card that is no test card has none.
  ///   - keys: The keys of the card's issuer.
  public init(
    _ transcript: Transcript, terminal: [UInt8], card: [UInt8]? = nil, keys: IssuerKeys = .publicTest
  ) {
    self.transcript = transcript
    self.terminal = terminal
    self.card = card
    self.keys = keys
  }

  /// The side of this build that is replayed.
  public var role: Transcript.Role { transcript.role ?? .terminal }

  /// Whether the profile of the card is missing: a recording of the card's side without one.
  public var lacksCard: Bool { role == .card && card == nil && transcript[.card] == nil }

  /// Replays the recording up to the first difference.
  ///
  /// Recorded instants and random bytes take the place of the clock and of the source of random bytes, so a replay
  /// takes no longer than the computation. The terminal's side blocks the calling task.
  ///
  /// - Throws: `ReplayError` with the first difference, or why the recording cannot be replayed.
  public func replay() async throws(ReplayError) -> Report {
    guard !transcript.exchanges.isEmpty else { throw .unusable("the recording has no exchanges") }
    if let truncation = transcript.truncation { throw .incomplete(truncation) }
    let notes: [String]
    switch role {
    case .terminal: notes = try PaymentReplay(transcript: transcript, terminal: terminal).reproduce()
    case .card:
      try await SessionReplay(transcript: transcript, profile: card, keys: keys).reproduce()
      notes = []
    }
    return Report(role: role, exchangeCount: transcript.exchanges.count, notes: notes)
  }
}

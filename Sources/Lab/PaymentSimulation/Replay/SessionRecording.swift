public import ContactlessPayment
internal import EMVCard
public import Links
internal import PaymentAcceptance
public import Transcripts

/// Records what the card of a payment session receives and sends, as a transcript that can be replayed.
public struct SessionRecording: Sendable {
  private let recording = Recording(role: .card)
  private let random: RecordingRandomSource?

  /// Creates an empty recording.
  ///
  /// - Parameter random: The source of the wallet, which takes one payment: so the random numbers of its card are recorded,
  ///   those of relay resistance and of signatures. Without it a recording of such a card cannot be replayed.
  public init(random: RecordingRandomSource? = nil) {
    self.random = random
  }

  /// Returns a link that records everything that goes over another link.
  public func recording(_ link: any EmulationLink) -> some EmulationLink {
    RecordingLink(link, recording: recording)
  }

  /// The exchanges whose responses the link has passed on, unredacted.
  public var exchanges: Transcript { recording.transcript }

  /// Returns the transcript of a session that has ended, unredacted.
  ///
  /// - Parameters:
  ///   - profile: The profile of the card as JSON. Its first counter is taken for the counter before the tap.
  ///   - event: The event that ended the session.
  /// - Throws: The error of a profile that is invalid.
  public func transcript(card profile: [UInt8], event: ContactlessPaymentSession.Event) throws -> Transcript {
    var transcript = recording.transcript
    transcript[.outcome] = event.recordedOutcome
    transcript.random = random?.drawn
    transcript[.card] = JSONLine.compact(profile)
    transcript.transactionCounter = try CardImage(json: profile).applications.first?.firstATC
    return transcript
  }
}

extension ContactlessPaymentSession.Event {
  /// The directive `outcome` of a recording of the card's side.
  var recordedOutcome: String {
    switch self {
    case .transactionCompleted: "transactionCompleted"
    case .errorEncountered(let error, _): "errorEncountered \(error.name)"
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected: "not ended"
    }
  }
}

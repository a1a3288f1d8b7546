internal import ContactlessPayment
internal import EMVCard
internal import EMVIssuer
internal import ISO7816
internal import Links
internal import Octets
internal import Synchronization
internal import Transcripts

/// The session of a recording of the card's side: which card answered, and how the session ended.
struct SessionReplay {
  let transcript: Transcript
  /// A card profile in place of the recorded one; responses are then compared without cardholder data.
  let profile: [UInt8]?
  let keys: IssuerKeys

  /// Answers the recorded terminal with this build's card and compares how the session ends.
  func reproduce() async throws(ReplayError) {
    let clock = ManualClock()
    let link = ReplayLink(transcript, clock: clock, isMasked: profile != nil)
    let event: ContactlessPaymentSession.Event
    do {
      let wallet = try await ProvisionedWallet(
        card: try card(), keys: keys, clock: clock,
        random: transcript.random.map(ReplayRandomSource.init) ?? SystemRandomSource()
      ).wallet
      event = try await CardPresentation(wallet: wallet).pay(on: { link })
    } catch {
      throw .unusable("\(error)")
    }
    if let difference = link.difference { throw .different(difference) }
    if let recorded = transcript[.outcome], recorded != event.recordedOutcome {
      throw .outcome(recorded: recorded, present: event.recordedOutcome)
    }
  }

  /// The recorded card, whose next transaction counter is the recorded one.
  private func card() throws -> CardImage {
    guard let json = profile ?? transcript[.card].map({ Array($0.utf8) }) else {
      throw ReplayError.unusable("the recording has no card profile: only recordings of test cards keep it")
    }
    var card = try CardProfile(json: json)
    if let counter = transcript.transactionCounter, !card.applications.isEmpty {
      card.applications[0].firstATC = Int(counter)
    }
    return try CardImage(compiling: card)
  }
}

/// A link at whose other end a recorded terminal sends its commands.
private final class ReplayLink: EmulationLink {
  private let transcript: Transcript
  /// Whether responses are compared without cardholder data.
  private let isMasked: Bool
  private let clock: ManualClock
  private let found = Mutex<TranscriptDifference?>(nil)

  init(_ transcript: Transcript, clock: ManualClock, isMasked: Bool) {
    (self.transcript, self.clock, self.isMasked) = (transcript, clock, isMasked)
  }

  var difference: TranscriptDifference? { found.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var card = RetimedCard(base: consume responder, clock: clock)
    let difference: TranscriptDifference?
    if isMasked {
      difference = transcript.maskedDifference(from: &card, startingAt: clock.now)
    } else {
      difference = CardReplay(transcript).run(&card, startingAt: clock.now)
    }
    found.withLock { $0 = difference }
    responder = card.release()
  }

  // The recording ends by itself.
  func stop() {}
}

/// Advances the clock of a session to the recorded instants: its card measures the time by that clock.
private struct RetimedCard<Base: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
  var base: Base
  let clock: ManualClock

  consuming func release() -> Base { base }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    clock.advance(by: max(instant - clock.now, .zero))
    base.fieldChanged(event, at: instant)
  }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    clock.advance(by: max(instant - clock.now, .zero))
    return base.respond(to: command, at: instant, into: &response)
  }

  mutating func responseSent() { base.responseSent() }
}

extension Transcript {
  /// Sends the whole recording to a card, then removes the cardholder data from both sides and compares them: the card of
  /// a person is recorded without them.
  ///
  /// - Returns: The first difference, or nil.
  fileprivate func maskedDifference<Responder: CommandResponder & ~Copyable>(
    from responder: inout Responder, startingAt start: Instant
  ) -> TranscriptDifference? {
    var present = self
    // An account number may be in two parts of a response, so that nothing is masked before the end.
    var cursor = 0
    CardReplay(self).ask(&responder, startingAt: start) { response in
      let exchange = exchanges[cursor]
      present.exchanges[cursor] = Transcript.Exchange(
        command: exchange.command, response: response.count < 2 ? nil : response, notes: exchange.notes,
        responseNotes: exchange.responseNotes)
      cursor += 1
    }
    return CardReplay(redacted()).compare(present.redacted().exchanges.map(\.response))
  }
}

internal import ISO7816
internal import Octets
internal import Transcripts

/// A recorded terminal whose card's responses are compared without cardholder data: as the recording of a card that is
/// no test card has them.
struct MaskedCardReplay {
  private let transcript: Transcript

  init(_ transcript: Transcript) { self.transcript = transcript }

  /// Sends the whole recording to a card, then removes the cardholder data from both sides and compares them.
  ///
  /// - Returns: The first difference, or nil.
  func run<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, startingAt start: Instant
  ) -> TranscriptDifference? {
    var present = transcript
    // An account number may be in two parts of a response, so that nothing is masked before the end.
    var cursor = 0
    CardReplay(transcript).ask(&responder, startingAt: start) { response in
      let exchange = transcript.exchanges[cursor]
      present.exchanges[cursor] = Transcript.Exchange(
        command: exchange.command, response: response.count < 2 ? nil : response, notes: exchange.notes,
        responseNotes: exchange.responseNotes)
      cursor += 1
    }
    return CardReplay(transcript.redacted()).compare(present.redacted().exchanges.map(\.response))
  }
}

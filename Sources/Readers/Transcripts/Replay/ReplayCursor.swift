internal import EMVDecoding
internal import ISO7816

/// The state of a replay: its place in the recording, and the lists and application of earlier exchanges.
struct ReplayCursor {
  let exchanges: [Transcript.Exchange]
  private(set) var position = 0
  private(set) var difference: TranscriptDifference?
  private var context: DecodingContext

  init(_ transcript: Transcript) {
    exchanges = transcript.exchanges
    context = DecodingContext(hiding: transcript.cardholderData)
  }

  /// The next exchange, or nil at the end.
  var next: Transcript.Exchange? { position < exchanges.count ? exchanges[position] : nil }

  /// Compares a command with the recorded one; returns the difference, or nil.
  mutating func compare(command: [UInt8]) -> TranscriptDifference? {
    guard let next else {
      let name = context.decoded(command: command).label
      return fail(
        TranscriptDifference(
          kind: .unexpectedCommand, exchange: exchanges.count + 1, offset: nil, tag: nil, element: "",
          expected: "nothing", got: name))
    }
    let got = SecretCommands.blanked(command)
    return fail(
      APDUComparison(
        kind: .command, exchange: position + 1, expected: next.command, got: got,
        recorded: context.decoded(command: next.command), present: context.decoded(command: got),
        varies: next.variesInCommand
      ).difference)
  }

  /// Compares a response with the recorded one; returns the difference, or nil without one and without a recorded
  /// response.
  mutating func compare(response: [UInt8]) -> TranscriptDifference? {
    guard let next, let expected = next.response else { return nil }
    return fail(
      APDUComparison(
        kind: .response, exchange: position + 1, expected: expected, got: response,
        recorded: context.decoded(response: expected, to: next.command),
        present: context.decoded(response: response, to: next.command), varies: next.variesInResponse
      ).difference)
  }

  /// Moves on to the next exchange.
  mutating func advance() {
    guard let next else { return }
    if let response = next.response { context.learn(command: next.command, response: response) }
    position += 1
  }

  /// Ends the replay. Exchanges that were not replayed become a difference.
  mutating func finish() {
    guard difference == nil, let next else { return }
    difference = TranscriptDifference(
      kind: .leftover, exchange: position + 1, offset: nil, tag: nil, element: "",
      expected: context.decoded(command: next.command).label, got: "nothing")
  }

  private mutating func fail(_ found: TranscriptDifference?) -> TranscriptDifference? {
    if difference == nil { difference = found }
    return found
  }
}

public import ISO7816
public import Octets

/// A recorded terminal: it sends the recorded commands and field events to a card and compares the responses.
public struct CardReplay: Sendable {
  /// The recording.
  public let transcript: Transcript

  /// Creates a replay.
  public init(_ transcript: Transcript) {
    self.transcript = transcript
  }

  /// Sends the whole recording, up to the first difference.
  ///
  /// Instants are those of the recording, counted from `start`. Without a recorded instant the time does not change. A
  /// recording without field events is sent between the events `powered` and `lost`.
  ///
  /// - Returns: The first difference, or nil when every response is the recorded one.
  public func run<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, startingAt start: Instant = Instant(nanoseconds: 0)
  ) -> TranscriptDifference? {
    var cursor = ReplayCursor(transcript)
    return play(on: &responder, from: start) { response in
      defer { cursor.advance() }
      return cursor.compare(response: response)
    }
  }

  /// Sends the whole recording, whatever the card responds.
  ///
  /// - Parameters:
  ///   - start: As for `run`.
  ///   - receive: Receives the response of each exchange; empty when the card gives none.
  public func ask<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, startingAt start: Instant = Instant(nanoseconds: 0), _ receive: ([UInt8]) -> Void
  ) {
    _ = play(on: &responder, from: start) { response in
      receive(response)
      return nil
    }
  }

  /// Compares responses with the recorded ones.
  ///
  /// - Parameter responses: One for each exchange; nil for none, which differs from any response.
  /// - Returns: The first difference, or nil.
  public func compare(_ responses: [[UInt8]?]) -> TranscriptDifference? {
    var cursor = ReplayCursor(transcript)
    for response in responses {
      if let difference = cursor.compare(response: response ?? []) { return difference }
      cursor.advance()
    }
    return nil
  }

  /// Sends the recording until a response is refused.
  private func play<Responder: CommandResponder & ~Copyable>(
    on responder: inout Responder, from start: Instant, _ check: ([UInt8]) -> TranscriptDifference?
  ) -> TranscriptDifference? {
    var now = start
    if !hasFieldEvents { responder.fieldChanged(.powered, at: now) }
    for exchange in transcript.exchanges {
      Self.play(exchange.fieldEvents, from: start, &now, on: &responder)
      Self.move(&now, to: exchange.arrival, from: start)
      let response = Self.ask(exchange.command, at: now, expecting: exchange.response?.count ?? 0, &responder)
      if let difference = check(response) { return difference }
    }
    Self.play(transcript.closingFieldEvents, from: start, &now, on: &responder)
    if !hasFieldEvents { responder.fieldChanged(.lost, at: now) }
    return nil
  }

  private var hasFieldEvents: Bool {
    transcript.exchanges.contains { !$0.fieldEvents.isEmpty } || !transcript.closingFieldEvents.isEmpty
  }

  private static func play<Responder: CommandResponder & ~Copyable>(
    _ events: [RecordedFieldEvent], from start: Instant, _ now: inout Instant, on responder: inout Responder
  ) {
    for event in events {
      move(&now, to: event.arrival, from: start)
      responder.fieldChanged(event.event, at: now)
    }
  }

  private static func ask<Responder: CommandResponder & ~Copyable>(
    _ command: [UInt8], at now: Instant, expecting count: Int, _ responder: inout Responder
  ) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: max(shortResponseCapacity, count))
    let given = buffer.withMutableOctets { responder.respond(to: command.span, at: now, into: &$0) }
    responder.responseSent()
    return Array(buffer[..<given])
  }

  // A recording may hold any number: time does not go back, and an instant that overflows is ignored.
  private static func move(_ now: inout Instant, to arrival: Int64?, from start: Instant) {
    guard let arrival else { return }
    let (nanoseconds, overflow) = start.nanoseconds.addingReportingOverflow(arrival)
    if !overflow { now = max(now, Instant(nanoseconds: nanoseconds)) }
  }
}

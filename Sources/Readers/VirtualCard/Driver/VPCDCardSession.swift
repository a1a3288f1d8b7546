package import ISO7816
internal import Links
package import Octets

/// The card's side of one connection to a vpcd: frames in, at most one frame out for each. It knows no socket and does
/// not allocate per frame, except for a command to the reader.
package struct VPCDCardSession: ~Copyable {
  private var power = VPCDPower()
  private let answerToReset: [UInt8]
  private let reader: ReaderCommands
  /// Length and payload in one block, so that a single `send` carries both.
  private var answer = [UInt8](repeating: 0, count: 2 + VPCDFrames.maximumPayloadCount)
  private var answerCount = 0

  /// Creates the session of a card without power.
  ///
  /// - Parameters:
  ///   - answerToReset: At most 33 bytes.
  ///   - identifier: The card's identifier (UID), which the reader returns.
  package init(answerToReset: [UInt8], identifier: [UInt8]) {
    self.answerToReset = answerToReset
    reader = ReaderCommands(identifier: identifier, answerToReset: answerToReset)
  }

  /// Takes the payload of one frame, passes it on to the card and composes the response, if there is one. The reader
  /// answers commands of class FF itself.
  ///
  /// - Throws: `VPCDFrameError` for a frame that the protocol does not have; the card does not see it.
  package mutating func receive<Responder: CommandResponder & ~Copyable>(
    _ payload: Span<UInt8>, at instant: Instant, for responder: inout Responder
  ) throws(VPCDFrameError) {
    answerCount = 0
    let message = try VPCDMessage(payload)
    if let event = power.receive(message) { responder.fieldChanged(event, at: instant) }
    switch message {
    case .powerOff, .powerOn, .reset: break
    case .answerToReset:
      compose(answerToReset)
    case .command where payload[0] == ReaderCommands.commandClass:
      compose(reader.response(to: payload.array).encoded)
    case .command:
      compose { room in
        let count = responder.respond(to: payload, at: instant, into: &room)
        requireResponse(of: count, within: room.byteCount)
        return count
      }
    }
  }

  private mutating func compose(_ octets: [UInt8]) {
    compose { room in
      room.copy(octets.span, to: 0)
      return octets.count
    }
  }

  private mutating func compose(_ body: (inout MutableRawSpan) -> Int) {
    answerCount = answer.withMutableOctets { octets in
      let end = octets.byteCount
      var room = octets._mutatingExtracting(2..<end)
      let count = body(&room)
      octets.put(UInt16(count), at: 0)
      return 2 + count
    }
  }

  /// Lends the frame to be sent; it is empty when the last message needs no response.
  package borrowing func withAnswer<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(answer.span.extracting(0..<answerCount))
  }

  /// Lends a frame whose length counts one byte more than there is: the driver waits for it until the connection ends.
  package mutating func withPartOfAnswer<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    let count = UInt16(max(answerCount, 2) - 1)
    answer.withMutableOctets { $0.put(count, at: 0) }
    return withAnswer(body)
  }

  /// Ends the session: a card that has power loses it.
  package mutating func end<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder, at instant: Instant)
  {
    if let event = power.end() { responder.fieldChanged(event, at: instant) }
  }
}

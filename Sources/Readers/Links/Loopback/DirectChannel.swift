public import ISO7816
public import Octets

/// A channel that owns its card and calls it on the caller's thread: for benchmarks, fuzzing and replays, where a
/// second thread would only add noise. A command costs no allocation and no lock.
public struct DirectChannel<Responder: CommandResponder & ~Copyable>: ~Copyable, CardChannel {
  /// The card's identity.
  public let identity: CardIdentity
  /// The card.
  public var responder: Responder

  @usableFromInline let clock: any MonotonicClock
  @usableFromInline var isOpen = true

  /// Powers the card.
  ///
  /// - Parameters:
  ///   - responder: The card; the channel owns it until `end()`.
  ///   - identity: The card's identity.
  ///   - clock: Gives the instants of commands and field events.
  @inlinable
  public init(
    _ responder: consuming Responder, identity: CardIdentity = .contactless, clock: any MonotonicClock = SystemClock()
  ) {
    self.responder = responder
    self.identity = identity
    self.clock = clock
    self.responder.fieldChanged(.powered, at: clock.now)
  }

  /// Passes a command to the card.
  ///
  /// - Returns: The length of the response, at least 2.
  /// - Throws: `LinkError.Code.cardRemoved` after `close()`.
  @inlinable
  public mutating func transmit(
    _ command: Span<UInt8>, into response: inout MutableRawSpan
  ) throws(LinkError) -> Int {
    guard isOpen else { throw LinkError.channelClosed }
    let count = responder.respond(to: command, at: clock.now, into: &response)
    requireResponse(of: count, within: response.byteCount)
    responder.responseSent()
    return count
  }

  /// Switches the field off.
  @inlinable
  public mutating func close() {
    guard isOpen else { return }
    isOpen = false
    responder.fieldChanged(.lost, at: clock.now)
  }

  /// Switches the field off and returns the card.
  @inlinable
  public consuming func end() -> Responder {
    close()
    return responder
  }
}

extension CardIdentity {
  /// A contactless card without historical bytes, as a reader describes it.
  public static var contactless: CardIdentity {
    CardIdentity(answerToReset: AnswerToReset.contactless(), protocolName: "T=CL")
  }
}

extension LinkError {
  @usableFromInline static var channelClosed: LinkError {
    LinkError(.cardRemoved, "the channel is closed and the card has lost its field: open a new channel")
  }
}

/// Traps when a responder breaks its contract. A link calls this before it forwards a response of a `CommandResponder`:
/// the responder is part of the program, so the fault is the program's and not the peer's.
///
/// - Parameters:
///   - count: The length that the responder returned.
///   - room: The length of the room that it was given.
@inlinable
public func requireResponse(of count: Int, within room: Int) {
  precondition(count >= 2 && count <= room, "a responder returns at least 2 bytes and at most the room it was given")
}

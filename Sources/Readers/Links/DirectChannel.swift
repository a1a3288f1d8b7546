public import ISO7816
public import Octets

/// A channel that owns the card at its other end and calls it on the caller's thread: for benchmarks, fuzzing and
/// replays, where a second thread would only add noise. No allocation and no lock per command.
public struct DirectChannel<Responder: CommandResponder & ~Copyable>: ~Copyable, CardChannel {
  /// What the channel says of the card.
  public let identity: CardIdentity
  /// The card.
  public var responder: Responder

  @usableFromInline let clock: any MonotonicClock
  @usableFromInline var isOpen = true

  /// Powers the card.
  ///
  /// - Parameters:
  ///   - responder: The card; the channel owns it until `end()`.
  ///   - identity: What the channel says of the card.
  ///   - clock: Where the instants of commands and field events come from.
  @inlinable
  public init(
    _ responder: consuming Responder, identity: CardIdentity = .contactless, clock: any MonotonicClock = SystemClock()
  ) {
    self.responder = responder
    self.identity = identity
    self.clock = clock
    self.responder.fieldChanged(.powered, at: clock.now)
  }

  /// Lets the card answer a command.
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
    return count
  }

  /// Switches the field off.
  @inlinable
  public mutating func close() {
    guard isOpen else { return }
    isOpen = false
    responder.fieldChanged(.lost, at: clock.now)
  }

  /// Switches the field off and gives the card back.
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
    LinkError(.cardRemoved, "the channel is closed: the card is no longer in the field; open a new channel")
  }
}

/// Stops the program when a responder breaks its contract: the responder is ours, not the peer's.
///
/// For links, which forward what a `CommandResponder` says it wrote.
@inlinable
public func requireResponse(of count: Int, within room: Int) {
  precondition(count >= 2 && count <= room, "a responder answers with at least 2 octets and at most the room it got")
}

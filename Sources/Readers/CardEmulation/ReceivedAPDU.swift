public import ISO7816
internal import Octets
internal import Synchronization

/// One command of a terminal, to be answered exactly once. Any task or thread may answer it.
///
/// Releasing it without a response ends emulation, so that the terminal does not wait in vain.
public final class ReceivedAPDU: Sendable {
  /// The bytes as they arrived: at most 65544, and not necessarily a command.
  public let octets: [UInt8]

  private let number: UInt64
  private let slot: ResponseSlot
  private let onDrop: @Sendable () -> Void
  // Held while a response is given: of two responses at the same time exactly one is sent.
  private let isAnswered = Mutex(false)

  init(_ octets: [UInt8], number: UInt64, slot: ResponseSlot, onDrop: @escaping @Sendable () -> Void) {
    self.octets = octets
    self.number = number
    self.slot = slot
    self.onDrop = onDrop
  }

  deinit {
    if slot.isWaiting(for: number) { onDrop() }
  }

  /// The command, or nil when the bytes are not a command; answer those with `6700`.
  public var command: CommandAPDU? {
    let octets = octets
    return try? CommandAPDU(parsing: octets.span)
  }

  /// Answers the terminal. Does not block.
  ///
  /// A link does not confirm that the terminal received the response.
  ///
  /// - Throws: `ResponseError`: `.alreadyAnswered`; `.notSent` with `transmissionError` when the response is longer than
  ///   the link's room or comes after the terminal received `6F00`, and with `emulationStopped` when the card is no
  ///   longer on the link.
  public func respond(with response: ResponseAPDU) throws(ResponseError) {
    try isAnswered.withLock { (isAnswered) throws(ResponseError) in
      if isAnswered { throw .alreadyAnswered }
      let octets = response.encoded
      switch slot.answer(number, octets) {
      case .accepted: isAnswered = true
      case .tooLong(let room):
        let reason = "a response of \(octets.count.bytes): the limit of the link is \(room); send a shorter one"
        throw .notSent(EmulationError(.transmissionError, reason))
      case .late:
        let reason = "the response came too late, and the terminal received 6F00: answer within the limit"
        throw .notSent(EmulationError(.transmissionError, reason))
      case .stopped:
        throw .notSent(EmulationError(.emulationStopped, "emulation has stopped, so the response was not sent"))
      }
    }
  }
}

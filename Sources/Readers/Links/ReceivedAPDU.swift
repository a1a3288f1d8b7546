public import ISO7816
internal import Octets
internal import Synchronization

/// One command of a terminal, to be answered exactly once, from any task or thread.
///
/// Letting go of it without an answer stops emulation: the terminal must not wait for what nobody works on.
public final class ReceivedAPDU: Sendable {
  /// The octets as they came; anything at all, at most 65544 of them.
  public let octets: [UInt8]

  private let number: UInt64
  private let exchange: AnswerExchange
  private let onDrop: @Sendable () -> Void
  // Held while answering, so that of two answers at the same time one is the first.
  private let isAnswered = Mutex(false)

  init(_ octets: [UInt8], number: UInt64, exchange: AnswerExchange, onDrop: @escaping @Sendable () -> Void) {
    self.octets = octets
    self.number = number
    self.exchange = exchange
    self.onDrop = onDrop
  }

  deinit {
    if exchange.isOwed(number) { onDrop() }
  }

  /// The command, or nil when the octets are none; answer those with `6700`.
  public var command: CommandAPDU? {
    let octets = octets
    return try? CommandAPDU(parsing: octets.span)
  }

  /// Answers the terminal. Does not block.
  ///
  /// Links do not confirm what the terminal got: an answer is sent when the link's thread has it in time.
  ///
  /// - Throws: `AnswerError`: `.alreadyAnswered`; `.notSent` with `transmissionError` when the response is longer than
  ///   the link's room or comes after the terminal was told `6F00`, and with `emulationStopped` when the card has
  ///   left the link.
  public func respond(with response: ResponseAPDU) throws(AnswerError) {
    try isAnswered.withLock { (isAnswered) throws(AnswerError) in
      if isAnswered { throw .alreadyAnswered }
      let octets = response.encoded
      switch exchange.answer(number, octets) {
      case .accepted: isAnswered = true
      case .tooLong(let room):
        let reason = "a response of \(octets.count) octets: the link has room for \(room); answer with a shorter one"
        throw .notSent(EmulationError(.transmissionError, reason))
      case .late:
        let reason = "the answer came too late: the terminal was told 6F00; answer within the limit"
        throw .notSent(EmulationError(.transmissionError, reason))
      case .stopped:
        throw .notSent(EmulationError(.emulationStopped, "emulation has stopped: nobody waits for this answer"))
      }
    }
  }
}

package import ISO7816

/// The reader's side of ISO-DEP (ISO/IEC 14443-4:2018, 7.5): commands in, blocks out. Pure: each method is one event.
package struct ISODEPReader: Sendable {
  /// What the reader does after an event.
  package enum Step: Equatable, Sendable {
    /// Sends a block and waits at most `wait` for the beginning of the response.
    case send([UInt8], wait: Duration)
    /// The card's response is complete.
    case response([UInt8])
    /// The card answered S(DESELECT), or did not answer and counts as deselected (7.5.6.3).
    case deselected
    /// The exchange ended without a response.
    case failed(Failure)
    /// Nothing: no block was expected.
    case idle
  }

  /// Why an exchange failed.
  package enum Failure: Equatable, Sendable {
    /// The card did not answer, in any attempt.
    case silent
    /// The last response was damaged.
    case damaged
    /// The protocol does not allow the last response.
    case violation
  }

  /// How often the reader asks for a block again before the exchange fails. With the first attempt, four frame waiting
  /// times pass when a card is removed.
  package static let maximumRetries = 3
  /// FWTmax: 2^14 x 302 us (7.2).
  static let maximumWaitingTime = Duration.nanoseconds(302_065 << 14)
  /// The waiting time for the response to S(DESELECT): 65536 / fc (7.2), rounded up.
  static let deactivationTime = Duration.milliseconds(5)

  private enum Phase: Equatable {
    case idle
    /// The reader has sent an I-block and waits for the response.
    case sending
    /// The reader waits for the next block of the card's chain.
    case receiving
    case deselecting
  }

  private let room: Int
  private let waitingTime: Duration
  private var number: UInt8 = 0
  private var phase = Phase.idle
  private var rest: ArraySlice<UInt8> = []
  private var last: [UInt8] = []
  private var response: [UInt8] = []
  private var retries = 0

  /// Creates the state after the activation.
  ///
  /// - Parameter answer: The card's ATS, for its frame size and waiting time.
  package init(_ answer: AnswerToSelect) {
    self.init(frameSize: answer.frameSize, waitingTime: answer.frameWaitingTime)
  }

  /// - Parameters:
  ///   - frameSize: FSC, the largest frame that the card receives, at least 16 bytes.
  ///   - waitingTime: Its frame waiting time.
  init(frameSize: Int, waitingTime: Duration) {
    // The frame also holds the control byte and the checksum.
    room = frameSize - 3
    self.waitingTime = waitingTime
  }

  /// Sends a command. A command that still runs is abandoned.
  package mutating func transmit(_ command: [UInt8]) -> Step {
    rest = command[...]
    response = []
    retries = 0
    phase = .sending
    return sendNextPart()
  }

  /// Takes the card out of the protocol.
  package mutating func deselect() -> Step {
    phase = .deselecting
    retries = 0
    return .send(ISODEPBlock(.deselect).octets, wait: Self.deactivationTime)
  }

  /// A block that tests whether the card is present: R(NAK) with the next number, which the card has not used yet, so
  /// that it answers R(ACK) (rule 12).
  package var presenceBlock: (octets: [UInt8], wait: Duration) {
    (ISODEPBlock(.notAcknowledge, number: number).octets, waitingTime)
  }

  /// A frame with a correct checksum arrives.
  package mutating func receive(_ octets: [UInt8]) -> Step {
    guard phase != .idle else { return .idle }
    guard let block = ISODEPBlock(parsing: octets) else { return retry(.violation) }
    switch (block.kind, phase) {
    case (.deselect, .deselecting):
      phase = .idle
      return .deselected
    case (.information(let chaining, let part), .sending) where block.number == number && rest.isEmpty,
      (.information(let chaining, let part), .receiving) where block.number == number:
      return collect(part, chaining)
    case (.acknowledge, .sending) where block.number != number:
      return repeatPart()
    case (.acknowledge, .sending) where !rest.isEmpty:
      number ^= 1
      retries = 0
      return sendNextPart()
    case (.extendWaitingTime(let multiplier), .sending), (.extendWaitingTime(let multiplier), .receiving):
      let time = min(waitingTime * Int(multiplier), Self.maximumWaitingTime)
      return .send(ISODEPBlock(.extendWaitingTime(multiplier)).octets, wait: time)
    default: return retry(.violation)
    }
  }

  /// A frame with a wrong checksum or parity arrives.
  package mutating func receiveDamaged() -> Step {
    phase == .idle ? .idle : retry(.damaged)
  }

  /// No response began in time.
  package mutating func timedOut() -> Step {
    phase == .idle ? .idle : retry(.silent)
  }

  private mutating func collect(_ part: [UInt8], _ chaining: Bool) -> Step {
    number ^= 1
    retries = 0
    guard part.count <= ISODEPLimit.maximumMessageCount - response.count else { return fail(.violation) }
    response += part
    guard chaining else {
      phase = .idle
      return .response(response)
    }
    phase = .receiving
    return send(ISODEPBlock(.acknowledge, number: number))
  }

  private mutating func sendNextPart() -> Step {
    let part = Array(rest.prefix(room))
    rest = rest.dropFirst(room)
    let block = ISODEPBlock(.information(chaining: !rest.isEmpty, part), number: number)
    last = block.octets
    return .send(last, wait: waitingTime)
  }

  /// Repeats the last I-block, which the card has not received (rule 6).
  private mutating func repeatPart() -> Step {
    guard retries < Self.maximumRetries else { return fail(.violation) }
    retries += 1
    return .send(last, wait: waitingTime)
  }

  /// Asks again (rules 4, 5 and 8): R(NAK) for a response, R(ACK) in the card's chain, S(DESELECT) once more.
  private mutating func retry(_ reason: Failure) -> Step {
    guard retries < Self.maximumRetries else {
      if phase == .deselecting {
        phase = .idle
        return .deselected
      }
      return fail(reason)
    }
    retries += 1
    switch phase {
    case .deselecting: return .send(ISODEPBlock(.deselect).octets, wait: Self.deactivationTime)
    case .receiving: return send(ISODEPBlock(.acknowledge, number: number))
    case .sending, .idle: return send(ISODEPBlock(.notAcknowledge, number: number))
    }
  }

  private mutating func fail(_ reason: Failure) -> Step {
    phase = .idle
    return .failed(reason)
  }

  private func send(_ block: ISODEPBlock) -> Step { .send(block.octets, wait: waitingTime) }
}

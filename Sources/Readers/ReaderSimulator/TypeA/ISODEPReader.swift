package import ISO7816

/// The reader's half of the transmission protocol (ISO/IEC 14443-4:2018, 7.5): commands in, blocks out. Pure: every
/// method is one event.
package struct ISODEPReader: Sendable {
  /// What to do next.
  package enum Step: Equatable, Sendable {
    /// Send a block and wait so long for the beginning of its answer.
    case send([UInt8], wait: Duration)
    /// The card's response is whole.
    case response([UInt8])
    /// The card answered S(DESELECT), or is taken as deselected after it did not (7.5.6.3).
    case deselected
    /// The exchange is over without a response.
    case failed(Failure)
    /// Nothing was expected.
    case idle
  }

  /// Why an exchange failed.
  package enum Failure: Equatable, Sendable {
    /// No answer, whatever was tried.
    case silent
    /// Answers came, but damaged ones.
    case damaged
    /// Answers came that the protocol does not allow.
    case violation
  }

  /// How often a block is asked for again before the exchange fails; with the first attempt, four frame waiting
  /// times pass when a card is torn out.
  package static let maximumRetries = 3
  /// FWTmax: 2^14 x 302 us (7.2).
  static let maximumWaitingTime = Duration.nanoseconds(302_065 << 14)
  /// The waiting time for the answer to S(DESELECT): 65536 / fc (7.2), rounded up.
  static let deactivationTime = Duration.milliseconds(5)

  private enum Phase: Equatable {
    case idle
    /// The card's answer to an I-block of ours is due.
    case sending
    /// The next block of the card's chain is due.
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

  /// Begins after the activation.
  ///
  /// - Parameter answer: What the card said: its frame size and waiting time are kept to.
  package init(_ answer: AnswerToSelect) {
    // The prologue and the checksum are in the frame size.
    room = answer.frameSize - 3
    waitingTime = answer.frameWaitingTime
  }

  /// Sends a command; one that still runs is forgotten.
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

  /// A block that any card answers without harm: R(NAK) with the number that comes next, which the card has not used
  /// yet, so that it answers R(ACK) (rule 12).
  package var presenceBlock: (octets: [UInt8], wait: Duration) {
    (ISODEPBlock(.notAcknowledge, number: number).octets, waitingTime)
  }

  /// A frame came, with a right checksum.
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

  /// A frame came whose checksum or parity is wrong.
  package mutating func receiveDamaged() -> Step {
    phase == .idle ? .idle : retry(.damaged)
  }

  /// No answer began in time.
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

  /// The card did not get the last I-block (rule 6).
  private mutating func repeatPart() -> Step {
    guard retries < Self.maximumRetries else { return fail(.violation) }
    retries += 1
    return .send(last, wait: waitingTime)
  }

  /// Asks again (rules 4, 5 and 8): R(NAK) for an answer, R(ACK) within the card's chain, S(DESELECT) as it was.
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

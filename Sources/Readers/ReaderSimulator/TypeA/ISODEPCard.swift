/// The card's half of the transmission protocol (ISO/IEC 14443-4:2018, 7.5): blocks in, commands out. Pure: every
/// method is one event.
package struct ISODEPCard: Sendable {
  /// What to do next.
  package enum Step: Equatable, Sendable {
    /// Nothing: the card never answers what it cannot read, and never speaks first.
    case silent
    /// Send a block.
    case send([UInt8])
    /// A command is whole; `answer` is awaited.
    case command([UInt8])
    /// Send the block, then leave the protocol.
    case deselected([UInt8])
  }

  private enum Phase: Equatable {
    /// The reader speaks.
    case listening
    /// A command was given out.
    case computing
    /// More time was asked for; the answer may be there already.
    case extending(answer: [UInt8]?)
  }

  private let room: Int
  private let identifier: UInt8
  private var number: UInt8 = 1
  private var phase = Phase.listening
  private var command: [UInt8] = []
  private var rest: ArraySlice<UInt8> = []
  private var last: [UInt8]?
  /// Whether the reader addresses the card by its identifier; the answers do as well then (7.1.2.2).
  private var isAddressed = false
  /// Whether nothing came since RATS: only then may the reader select parameters.
  private(set) var isFresh = true

  /// Begins after RATS.
  ///
  /// - Parameters:
  ///   - frameSize: FSD: the largest frame the reader takes, at least 16 octets.
  ///   - identifier: CID: the number that the reader gave the card, 0 to 14.
  package init(frameSize: Int, identifier: UInt8) {
    // Prologue with an identifier, and checksum.
    room = frameSize - 4
    self.identifier = identifier
  }

  /// Whether a command waits for its answer.
  package var isComputing: Bool { phase != .listening }

  /// Whether the whole response was sent.
  package var isDelivered: Bool { rest.isEmpty && phase == .listening }

  /// A frame came, with a right checksum. Frames with a wrong one are nothing to the card.
  package mutating func receive(_ octets: [UInt8]) -> Step {
    if let start = parameterSelection(octets) { return start }
    isFresh = false
    guard let block = ISODEPBlock(parsing: octets), block.card ?? 0 == identifier else { return .silent }
    isAddressed = block.card != nil
    switch block.kind {
    case .information(let chaining, let part): return collect(part, chaining)
    case .acknowledge where block.number == number, .notAcknowledge where block.number == number:
      // Rule 11: the reader did not get the last block.
      return last.map { .send($0) } ?? .silent
    case .notAcknowledge:
      // Rule 12: the card did not get the reader's.
      return .send(framed(.acknowledge))
    case .acknowledge:
      guard phase == .listening, !rest.isEmpty else { return .silent }
      number ^= 1
      return sendNextPart()
    case .extendWaitingTime: return extended()
    case .deselect:
      phase = .listening
      rest = []
      return .deselected(framed(.deselect))
    }
  }

  /// The response to the command is there.
  package mutating func answer(_ response: [UInt8]) -> Step {
    switch phase {
    case .computing:
      rest = response[...]
      phase = .listening
      return sendNextPart()
    case .extending(nil):
      phase = .extending(answer: response)
      return .silent
    case .extending, .listening: return .silent
    }
  }

  /// Half the waiting time is over without an answer: asks for as much again.
  package mutating func extend() -> Step {
    guard phase == .computing else { return .silent }
    phase = .extending(answer: nil)
    return sent(.extendWaitingTime(1))
  }

  /// PPS (5.3): only 106 kbit/s in both directions is offered, and confirmed.
  private mutating func parameterSelection(_ octets: [UInt8]) -> Step? {
    guard isFresh, octets.first == 0xD0 | identifier else { return nil }
    isFresh = false
    guard octets.dropFirst() == [0x11, 0x00] || octets.dropFirst() == [0x01] else { return .silent }
    return .send([0xD0 | identifier])
  }

  private mutating func collect(_ part: [UInt8], _ chaining: Bool) -> Step {
    // A reader must not send a command while another one runs; the protocol has no answer to it.
    guard phase == .listening, part.count <= ISODEPLimit.maximumMessageCount - command.count else { return .silent }
    number ^= 1
    rest = []
    last = nil
    command += part
    guard !chaining else { return sent(.acknowledge) }
    defer { command = [] }
    phase = .computing
    return .command(command)
  }

  private mutating func extended() -> Step {
    guard case .extending(let answer) = phase else { return .silent }
    phase = .computing
    last = nil
    return answer.map { self.answer($0) } ?? .silent
  }

  private mutating func sendNextPart() -> Step {
    let part = Array(rest.prefix(room))
    rest = rest.dropFirst(room)
    return sent(.information(chaining: !rest.isEmpty, part))
  }

  private mutating func sent(_ kind: ISODEPBlock.Kind) -> Step {
    let octets = framed(kind)
    last = octets
    return .send(octets)
  }

  private func framed(_ kind: ISODEPBlock.Kind) -> [UInt8] {
    let hasNumber = if case .extendWaitingTime = kind { false } else { kind != .deselect }
    return ISODEPBlock(kind, number: hasNumber ? number : 0, card: isAddressed ? identifier : nil).octets
  }
}

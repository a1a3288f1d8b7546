/// The card's side of ISO-DEP (ISO/IEC 14443-4:2018, 7.5): blocks in, commands out. Pure: each method is one event.
package struct ISODEPCard: Sendable {
  /// What the card does after an event.
  package enum Step: Equatable, Sendable {
    /// Nothing: a card never answers a block that it cannot read, and never sends first.
    case silent
    /// Sends a block.
    case send([UInt8])
    /// A command is complete. The caller calls `answer(_:)` with the response.
    case command([UInt8])
    /// Sends the block, then leaves the protocol.
    case deselected([UInt8])
  }

  private enum Phase: Equatable {
    /// The next block comes from the reader.
    case listening
    /// A command waits for its response.
    case computing
    /// The card has asked for more time. The response may have come since then.
    case extending(answer: [UInt8]?)
  }

  private let room: Int
  private let identifier: UInt8
  private var number: UInt8 = 1
  private var phase = Phase.listening
  private var command: [UInt8] = []
  private var rest: ArraySlice<UInt8> = []
  private var last: [UInt8]?
  /// Whether the reader addresses the card by its identifier; the responses contain it then too (7.1.2.2).
  private var isAddressed = false
  /// Whether no block has come since RATS: only then can the reader select parameters.
  private(set) var isFresh = true

  /// Creates the state after RATS.
  ///
  /// - Parameters:
  ///   - frameSize: FSD, the largest frame that the reader receives, at least 16 bytes.
  ///   - identifier: CID, the number that the reader gave to the card, 0 to 14.
  package init(frameSize: Int, identifier: UInt8) {
    // The frame also holds the control byte, the identifier and the checksum.
    room = frameSize - 4
    self.identifier = identifier
  }

  /// Whether a command waits for its response.
  package var isComputing: Bool { phase != .listening }

  /// Whether the whole response was sent.
  package var isDelivered: Bool { rest.isEmpty && phase == .listening }

  /// A frame with a correct checksum arrives. A card ignores frames with a wrong one.
  package mutating func receive(_ octets: [UInt8]) -> Step {
    if let start = parameterSelection(octets) { return start }
    isFresh = false
    guard let block = ISODEPBlock(parsing: octets), block.card ?? 0 == identifier else { return .silent }
    isAddressed = block.card != nil
    switch block.kind {
    case .information(let chaining, let part): return collect(part, chaining)
    case .acknowledge where block.number == number, .notAcknowledge where block.number == number:
      // Rule 11: the reader has not received the last block.
      return last.map { .send($0) } ?? .silent
    case .notAcknowledge:
      // Rule 12: the card has not received the reader's last block.
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

  /// The card has computed its response.
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

  /// Half the waiting time is over without a response: the card asks for the same time again.
  package mutating func extend() -> Step {
    guard phase == .computing else { return .silent }
    phase = .extending(answer: nil)
    return sent(.extendWaitingTime(1))
  }

  /// PPS (5.3): the card confirms 106 kbit/s in both directions and ignores any other request.
  private mutating func parameterSelection(_ octets: [UInt8]) -> Step? {
    guard isFresh, octets.first == 0xD0 | identifier else { return nil }
    isFresh = false
    guard octets.dropFirst() == [0x11, 0x00] || octets.dropFirst() == [0x01] else { return .silent }
    return .send([0xD0 | identifier])
  }

  private mutating func collect(_ part: [UInt8], _ chaining: Bool) -> Step {
    // A reader must not send a command while another one runs; the protocol has no response to it.
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

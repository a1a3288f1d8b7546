/// The card's side of T=1 (ISO/IEC 7816-3:2006, 11), for readers that exchange blocks: the host composes them. Without
/// waiting time extensions: the reader extends its own time. Pure.
struct BlockCard: Equatable, Sendable {
  enum Step: Equatable, Sendable {
    /// Answers with a block, or with the response to a request for protocol and parameters.
    case send([UInt8])
    /// Passes a command on; the caller calls `answer(_:)`.
    case command([UInt8])
    /// The card does not answer.
    case silent
  }

  /// The node address of the host, which the card returns with its nibbles exchanged.
  private var address: UInt8 = 0
  private var (sendNumber, receiveNumber): (UInt8, UInt8) = (0, 0)
  private var command: [UInt8] = []
  /// The parts of the response that were not sent.
  private var unsent: [UInt8] = []
  private var lastBlock: [UInt8] = []
  /// IFSD: how long an information field to the host may be.
  private var room = 32

  init() {}

  /// Takes a block of the host.
  mutating func receive(_ block: [UInt8]) -> Step {
    // PPS: the card accepts what the host asks for (ISO/IEC 7816-3:2006, 9.1).
    if block.first == 0xFF, block.count >= 3 { return .send(block) }
    guard block.count >= 4, block.count == 4 + Int(block[2]), block.reduce(0, ^) == 0 else {
      return .send(self.block(0x80 | 0x01 | receiveNumber << 4))
    }
    address = block[0] << 4 | block[0] >> 4
    let (control, information) = (block[1], Array(block[3..<(block.count - 1)]))
    switch control & 0xC0 {
    case 0x80: return .send(acknowledged(control))
    case 0xC0: return supervise(control, information)
    default: return take(information, control)
    }
  }

  private mutating func take(_ information: [UInt8], _ control: UInt8) -> Step {
    guard control >> 6 & 1 == receiveNumber else { return .send(lastBlock) }
    receiveNumber ^= 1
    command += information
    if control & 0x20 != 0 { return .send(send(0x80 | receiveNumber << 4)) }
    defer { command = [] }
    return .command(command)
  }

  /// R-block: the host asks for the next block of a chain, or for the last one again.
  private mutating func acknowledged(_ control: UInt8) -> [UInt8] {
    control >> 4 & 1 == sendNumber && !unsent.isEmpty ? nextBlock() : lastBlock
  }

  private mutating func supervise(_ control: UInt8, _ information: [UInt8]) -> Step {
    switch control {
    // RESYNCH, IFS, ABORT.
    case 0xC0: (sendNumber, receiveNumber, unsent, command) = (0, 0, [], [])
    case 0xC1: room = information.first.map(Int.init) ?? room
    case 0xC2: unsent = []
    default: return .silent
    }
    return .send(send(control | 0x20, information))
  }

  /// The card has answered the command.
  mutating func answer(_ octets: [UInt8]) -> [UInt8] {
    unsent = octets
    return nextBlock()
  }

  private mutating func nextBlock() -> [UInt8] {
    let part = Array(unsent.prefix(room))
    unsent.removeFirst(part.count)
    let control = sendNumber << 6 | (unsent.isEmpty ? 0 : 0x20)
    sendNumber ^= 1
    return send(control, part)
  }

  private mutating func send(_ control: UInt8, _ information: [UInt8] = []) -> [UInt8] {
    lastBlock = block(control, information)
    return lastBlock
  }

  private func block(_ control: UInt8, _ information: [UInt8] = []) -> [UInt8] {
    let body = [address, control, UInt8(information.count)] + information
    return body + [body.reduce(0, ^)]
  }
}

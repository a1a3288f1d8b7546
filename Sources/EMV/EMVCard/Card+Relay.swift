internal import ISO7816
internal import Octets

extension Card {
  /// EXCHANGE RELAY RESISTANCE DATA: the card's entropy and its times (in kernel 8 the same command and answer:
  /// EMV Contactless Book C-8). No signature covers them yet, because this card makes none: a terminal learns the time
  /// of an answer and not who gave it.
  mutating func exchangeRelayData(
    _ p1: UInt8, _ p2: UInt8, _ data: Span<UInt8>, into response: inout MutableRawSpan
  ) -> Int {
    guard p1 == 0x00, p2 == 0x00 else { return Self.answer(.incorrectParameters, into: &response) }
    guard data.count == RelayEntropy.count else { return Self.answer(.wrongLength, into: &response) }
    guard let selected, isInitiated, !hasAnswered, let entropy = relay.next() else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    let template = images[selected].relayResponse
    response.copy(arena[template], to: 0)
    response.put(entropy, at: 2)
    return template.count
  }
}

/// Random numbers for the relay resistance protocol, drawn before the terminal asks for them.
struct RelayEntropy {
  /// The octets of one random number, the card's or the terminal's.
  static let count = 4
  /// A terminal asks once and twice more when the answer was late (EMV Contactless Book C-8).
  static let callsPerExchange = 3
  // Selections in one field draw from the same block; no number comes twice.
  private static let blockCount = 24

  private let random: any RandomSource
  private var block: [UInt32]
  private var used = 0
  private var calls = 0

  init(_ random: any RandomSource, isUsed: Bool) {
    self.random = random
    block = [UInt32](repeating: 0, count: isUsed ? Self.blockCount : 0)
    refill()
  }

  /// Draws anew for the next field.
  mutating func refill() {
    used = 0
    calls = 0
    guard !block.isEmpty else { return }
    let octets = random.octets(block.count * Self.count)
    for index in block.indices {
      block[index] = octets[index * Self.count..<(index + 1) * Self.count].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// Begins another exchange.
  mutating func begin() { calls = 0 }

  /// The next number, or nil when the terminal asked too often.
  mutating func next() -> UInt32? {
    guard calls < Self.callsPerExchange, used < block.count else { return nil }
    defer {
      calls += 1
      used += 1
    }
    return block[used]
  }
}

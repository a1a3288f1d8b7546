internal import Octets

/// The random numbers of the relay resistance protocol, drawn before the terminal asks for them.
struct RelayEntropy {
  /// The bytes of one random number, the card's or the terminal's.
  static let count = 4
  /// The most commands of an exchange: a terminal repeats the command at most twice when a response is late
  /// (EMV Contactless Book C-8).
  static let callsPerExchange = 3
  // All exchanges in one field draw from the same block, so that no number occurs twice.
  private static let blockCount = 24

  private let random: any RandomSource
  private var block: [UInt32]
  private var used = 0
  /// The data of the last exchange, which a signature covers: the terminal's number, the card's number and three times.
  private var exchanged = [UInt8](repeating: 0, count: CombinedSignature.relayDataCount)
  /// Whether there was an exchange since the application was selected.
  private(set) var isExchanged = false
  private var calls = 0

  init(_ random: any RandomSource, isUsed: Bool) {
    self.random = random
    block = [UInt32](repeating: 0, count: isUsed ? Self.blockCount : 0)
    refill()
  }

  /// Draws the numbers of the next field.
  mutating func refill() {
    used = 0
    begin()
    guard !block.isEmpty else { return }
    let octets = random.octets(block.count * Self.count)
    for index in block.indices {
      block[index] = octets[index * Self.count..<(index + 1) * Self.count].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// Starts the next exchange.
  mutating func begin() {
    calls = 0
    isExchanged = false
  }

  /// Keeps the data of an exchange.
  ///
  /// - Parameters:
  ///   - terminal: The terminal's number, 4 bytes.
  ///   - number: The card's number.
  ///   - response: The response with its template, which ends in the three times.
  mutating func keep(_ terminal: Span<UInt8>, _ number: UInt32, _ response: Span<UInt8>) {
    exchanged.withMutableOctets { exchanged in
      exchanged.copy(terminal, to: 0)
      exchanged.copy(response.part(at: 2, count: 10), to: Self.count)
      exchanged.put(number, at: Self.count)
    }
    isExchanged = true
  }

  /// Copies the data of the last exchange.
  borrowing func copyExchanged(into block: inout MutableSpan<UInt8>, at offset: Int) {
    for index in exchanged.indices { block[offset + index] = exchanged[index] }
  }

  /// The next number; nil when the terminal asked too often.
  mutating func next() -> UInt32? {
    guard calls < Self.callsPerExchange, used < block.count else { return nil }
    defer {
      calls += 1
      used += 1
    }
    return block[used]
  }
}

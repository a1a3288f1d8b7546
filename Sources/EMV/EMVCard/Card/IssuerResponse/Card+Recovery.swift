internal import ISO7816
internal import Octets

/// The last response to GENERATE AC, for a terminal that lost the field before it had it. It lives as long as its card's session.
struct TornResponse {
  private var response: [UInt8]
  private var count = 0
  private var computation: Card.Computation?
  private var values: [UInt8] = []
  /// How many times a terminal has sent other values than those of the response.
  private var mismatchCount = 0

  /// How many times a terminal may send other values: then the response cannot be recovered any more.
  static let maximumMismatches = 3

  /// Reserves the room for a response.
  ///
  /// - Parameter count: The bytes of the longest response with its status word; 0 for a card without RECOVER AC.
  init(longest count: Int) { response = [UInt8](repeating: 0, count: count) }

  /// Whether the card has RECOVER AC.
  var isUsed: Bool { !response.isEmpty }
  /// The application whose response can be recovered, by its position in the image; nil for none.
  var application: Int? { count > 0 ? computation?.application : nil }

  /// Keeps the bytes of a response to GENERATE AC.
  mutating func keep(_ answer: borrowing MutableRawSpan, count: Int) {
    guard !response.isEmpty else { return }
    let octets = answer.bytes
    // Every byte is a value of UInt8.
    for offset in 0..<count { response[offset] = unsafe octets.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    self.count = count
    computation = nil
    mismatchCount = 0
  }

  /// Keeps what belongs to it when the card is armed again.
  mutating func keep(_ computation: Card.Computation, _ values: [UInt8]) {
    guard count > 0, computation.kind != .cryptographicChecksum else { return }
    (self.computation, self.values) = (computation, values)
  }

  /// Whether a terminal repeats the values at the positions. Gives the response up after too many others.
  mutating func matches(_ data: Span<UInt8>, at positions: [Range<Int>]) -> Bool {
    var offset = 0
    for position in positions {
      for index in position where data[offset + index - position.lowerBound] != values[index] {
        mismatchCount += 1
        if mismatchCount >= Self.maximumMismatches { drop() }
        return false
      }
      offset += position.count
    }
    return true
  }

  /// Gives the response up.
  mutating func drop() {
    count = 0
    computation = nil
  }

  /// The bytes of the response without its status word.
  var dataCount: Int { max(count - 2, 0) }

  /// Takes the response out: it is recovered once.
  mutating func take(into room: inout MutableRawSpan) -> (count: Int, computation: Card.Computation, values: [UInt8])? {
    guard let computation else { return nil }
    defer { drop() }
    room.copy(response.span.part(at: 0, count: count), to: 0)
    return (count, computation, values)
  }
}

extension Card {
  /// Whether a terminal can recover a response that it lost.
  public var canRecover: Bool { torn.isUsed }

  /// RECOVER AC: the very bytes of the response that the terminal lost, when it repeats the values of tag 9F51. The payment is
  /// the one that the response belongs to: the use that was armed after the loss is given back.
  mutating func recoverCryptogram(
    _ command: CardCommand, _ data: Span<UInt8>, _ positions: [Range<Int>], into response: inout MutableRawSpan
  ) -> Int {
    guard command.parameters == 0 else { return Self.answer(.incorrectParameters, into: &response) }
    guard let selected, selected.stage == .initiated else {
      return Self.answer(.conditionsNotSatisfied, into: &response)
    }
    guard data.count == positions.reduce(0, { $0 + $1.count }) else {
      return Self.answer(.wrongLength, into: &response)
    }
    guard torn.application == selected.index, torn.matches(data, at: positions) else {
      return Self.answer(.referencedDataNotFound, into: &response)
    }
    return respond(torn.dataCount, to: command, into: &response) { $0.recoverCryptogram(into: &$1) }
  }

  private mutating func recoverCryptogram(into response: inout MutableRawSpan) -> Int {
    guard let recovered = torn.take(into: &response) else {
      return Self.answer(.referencedDataNotFound, into: &response)
    }
    disarm()
    (computed, terminalValues) = (recovered.computation, recovered.values)
    computed?.isComplete = commands[recovered.computation.command].completes
    selected?.stage = .answered
    phase = .completed
    return recovered.count
  }
}

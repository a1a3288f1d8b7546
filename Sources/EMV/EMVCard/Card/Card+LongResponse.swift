internal import ISO7816
internal import Octets

/// A response of more than 256 bytes, which a terminal with short APDUs fetches in parts (ISO/IEC 7816-4:2013, 5.3.4). Only a
/// signature makes a response that long.
struct LongResponse {
  /// Room for the longest response and its status word; empty for a card whose responses all fit into one.
  private(set) var room: [UInt8]
  /// The bytes that the terminal has not fetched; empty when nothing waits.
  private(set) var rest = 0..<0
  /// The phase of the payment once the terminal has the last part, and whether that completes the payment.
  private(set) var phase = CardPhase.idle
  private(set) var completes = false

  /// - Parameter count: The bytes of the longest response of the card.
  init(longest count: Int) {
    room = [UInt8](repeating: 0, count: count > Self.partCount ? count + 2 : 0)
  }

  /// The most bytes of a part.
  static let partCount = 256

  /// Whether the card has responses of more than 256 bytes.
  var isUsed: Bool { !room.isEmpty }

  /// Whether there are such bytes.
  var isWaiting: Bool { !rest.isEmpty }

  /// Drops what the terminal has not fetched.
  mutating func drop() { rest = 0..<0 }

  /// Takes the room out while a response is written: the values of the response are in the card too.
  mutating func takeRoom() -> [UInt8] { exchange(&room, with: []) }

  /// Puts the room back with a response of which the terminal has nothing.
  mutating func hold(_ room: consuming [UInt8], count: Int, until phase: CardPhase, completes: Bool) {
    (self.room, self.phase, self.completes) = (room, phase, completes)
    rest = 0..<count
  }

  /// Puts the room back.
  mutating func giveBack(_ room: consuming [UInt8]) { self.room = room }

  /// Copies the next part; returns its status word: 61xx with the number of bytes that can be fetched next, or 9000.
  mutating func next(_ count: Int, into response: inout MutableRawSpan) -> StatusWord {
    response.copy(room.span.part(at: rest.lowerBound, count: count), to: 0)
    rest = rest.lowerBound + count..<rest.upperBound
    return rest.isEmpty ? .ok : available
  }

  /// 61xx, where 00 is 256 or more.
  var available: StatusWord {
    StatusWord(rawValue: 0x6100 | UInt16(truncatingIfNeeded: min(rest.count, Self.partCount) & 0xFF))
  }
}

extension Card {
  /// Lets a body write a response, at once or for GET RESPONSE.
  ///
  /// - Parameters:
  ///   - count: The number of bytes of its data.
  ///   - write: Spends the use. It writes the data and the status word, or a status word alone, and returns their number.
  mutating func respond(
    _ count: Int, to command: CardCommand, into response: inout MutableRawSpan,
    _ write: (inout Card, inout MutableRawSpan) -> Int
  ) -> Int {
    // A link may offer room for a short response to an extended command too.
    if count <= command.limit, count + 2 <= response.byteCount { return write(&self, &response) }
    // Before the use is spent, so that the command with the right Le gets the response.
    guard count > LongResponse.partCount, command.limit >= LongResponse.partCount else {
      return Self.answer(available: min(count, LongResponse.partCount), into: &response)
    }
    return hold(into: &response, write)
  }

  private mutating func hold(
    into response: inout MutableRawSpan, _ write: (inout Card, inout MutableRawSpan) -> Int
  ) -> Int {
    let before = phase
    var room = long.takeRoom()
    let written = room.withMutableOctets { write(&self, &$0) }
    guard written > 2 else {
      response.copy(room.span.part(at: 0, count: written), to: 0)
      long.giveBack(room)
      return written
    }
    // The use is spent, and the terminal has nothing of the response yet.
    long.hold(room, count: written - 2, until: phase, completes: computed?.isComplete ?? false)
    phase = max(before, .cryptogramDelivered)
    if before < .cryptogramDelivered { computed?.isComplete = false }
    return Self.answer(long.available, into: &response)
  }

  /// GET RESPONSE (ISO/IEC 7816-4:2013, 7.6.1): the next part of a response. Le limits the part.
  // Not inlined: a command that ends before it needs fewer instructions.
  @inline(never)
  mutating func getResponse(_ command: CardCommand, _ data: Span<UInt8>, into response: inout MutableRawSpan) -> Int {
    guard command.parameters == 0 else { return Self.answer(.incorrectParameters, into: &response) }
    guard data.isEmpty else { return Self.answer(.wrongLength, into: &response) }
    guard long.isWaiting else { return Self.answer(.conditionsNotSatisfied, into: &response) }
    let count = min(command.limit, long.rest.count, LongResponse.partCount)
    guard count > 0 else {
      return Self.answer(available: min(long.rest.count, LongResponse.partCount), into: &response)
    }
    let status = long.next(count, into: &response)
    response.put(status.rawValue, at: count)
    if !long.isWaiting {
      phase = long.phase
      if long.completes { computed?.isComplete = true }
    }
    return count + 2
  }
}

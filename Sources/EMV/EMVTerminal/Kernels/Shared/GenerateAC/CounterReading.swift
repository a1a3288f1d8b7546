internal import EMVData
internal import ISO7816
internal import Octets

/// GET DATA of tag 9F36, then of tag 9F13, for the velocity check (EMV 4.4 Book 3, 10.6.3).
struct CounterReading {
  let card: CardData
  private let lower: UInt8
  private let upper: UInt8
  // Tag 9F36; nil before it was read, and when the card refused it.
  private var counter: UInt16?
  private var isLastOnline = false

  /// Nil for a card without one of the limits, tags 9F14 and 9F23.
  init?(_ card: CardData) throws(StepFailure) {
    guard let lower = try card.optional(.lowerConsecutiveOfflineLimit, 1...1, .decision),
      let upper = try card.optional(.upperConsecutiveOfflineLimit, 1...1, .decision)
    else { return nil }
    (self.card, self.lower, self.upper) = (card, lower[0], upper[0])
  }

  /// The command whose response comes next.
  var command: CommandAPDU { .getData(isLastOnline ? 0x9F13 : 0x9F36) }

  /// Takes the response to `command`.
  ///
  /// - Returns: The bits for tag 95; nil when another command follows.
  mutating func receive(_ response: ResponseAPDU) -> TerminalVerificationResults? {
    guard isLastOnline else {
      counter = Self.counter(.applicationTransactionCounter, in: response)
      isLastOnline = true
      return nil
    }
    return VelocityCheck.check(
      lower: lower, upper: upper, counter: counter, lastOnline: Self.counter(.lastOnlineCounter, in: response))
  }

  // A response of any other form counts as a refusal.
  private static func counter(_ tag: Tag, in response: ResponseAPDU) -> UInt16? {
    guard response.status.isOK, let nodes = try? [TLVNode](parsing: response.data.span), nodes.count == 1,
      nodes[0].tag == tag, nodes[0].value.count == 2
    else { return nil }
    return UInt16(bigEndian: nodes[0].value)
  }
}

extension Tag {
  /// 9F13: last online application transaction counter register.
  static let lastOnlineCounter: Tag = 0x9F13
  /// 9F14 and 9F23: consecutive offline limits.
  static let lowerConsecutiveOfflineLimit: Tag = 0x9F14
  static let upperConsecutiveOfflineLimit: Tag = 0x9F23
}

extension TransactionPhase {
  /// GET DATA (EMV 4.4 Book 3, 6.5.7).
  public static let getData = TransactionPhase(rawValue: "GET DATA")
}

internal import ISO7816

/// A reader's activation of a card, from REQA to the ATS (ISO/IEC 14443-3:2018, 6.5; 14443-4:2018, 5). Pure: each
/// method is one event. Any error ends the attempt, as in the PN532.
package struct TypeAActivation: Sendable {
  private enum Phase: Sendable {
    case requesting
    case anticollision
    case selecting
    case answeringToSelect
  }

  /// The timeout of the response to REQA and to each step of the anticollision. The 91 us of the standard are too short
  /// for what is computed between two events; a PN532 takes about 5 ms for one attempt.
  static let answerTime = Duration.milliseconds(5)
  /// The activation frame waiting time for RATS: 65536 / fc (ISO/IEC 14443-4:2018, 5.6.1.2), rounded up.
  static let activationTime = Duration.milliseconds(5)
  /// RATS with FSDI 5, since the PN532 receives frames of 64 bytes, and with CID 0.
  static let request: [UInt8] = [0xE0, 0x50]
  /// The longest ATS, its length byte included: with its checksum it must not exceed the 64 bytes of FSDI 5
  /// (ISO/IEC 14443-4:2018, 5.2.2). A chip of this kind reports no card when the ATS is longer.
  static let maximumAnswerCount = 62

  private let wakesHalted: Bool
  private let asksForAnswer: Bool
  private let wanted: [UInt8]?
  private var phase = Phase.requesting
  private var card = ActivatedCard()
  private var level: [UInt8] = []
  private var levelCode: UInt8 = 0x93

  /// Creates an attempt.
  ///
  /// - Parameters:
  ///   - wakesHalted: Whether WUPA is sent in place of REQA.
  ///   - asksForAnswer: Whether RATS is sent to a card whose SAK announces ISO/IEC 14443-4.
  ///   - wanted: The identifier of the card to select, or nil for any card.
  package init(wakesHalted: Bool, asksForAnswer: Bool, wanted: [UInt8]? = nil) {
    self.wakesHalted = wakesHalted
    self.asksForAnswer = asksForAnswer
    self.wanted = wanted
  }

  /// Whether a card has answered the first frame.
  package var hasMetCard: Bool { phase != .requesting }

  /// The first frame.
  package var first: ActivationStep {
    .send(AirFrame([wakesHalted ? 0x52 : 0x26], lastBits: 7), wait: Self.answerTime)
  }

  /// A frame arrives, or nil when none began in time.
  package mutating func receive(_ frame: AirFrame?) -> ActivationStep {
    guard let frame, !frame.isDamaged, frame.lastBits == 0 else { return .nothing }
    switch phase {
    case .requesting: return requested(frame.octets)
    case .anticollision: return collected(frame.octets)
    case .selecting: return selected(frame.checkedOctets)
    case .answeringToSelect: return answered(frame.checkedOctets)
    }
  }

  private mutating func requested(_ octets: [UInt8]) -> ActivationStep {
    guard octets.count == 2 else { return .nothing }
    card.answerToRequest = octets
    return anticollision()
  }

  private mutating func anticollision() -> ActivationStep {
    phase = .anticollision
    return .send(AirFrame([levelCode, 0x20]), wait: Self.answerTime)
  }

  private mutating func collected(_ octets: [UInt8]) -> ActivationStep {
    // Four bytes and their exclusive or.
    guard octets.count == 5, octets.reduce(0, ^) == 0 else { return .nothing }
    level = octets
    phase = .selecting
    return .send(AirFrame(checked: [levelCode, 0x70] + octets), wait: Self.answerTime)
  }

  private mutating func selected(_ octets: [UInt8]?) -> ActivationStep {
    guard let octets, octets.count == 1 else { return .nothing }
    if octets[0] & 0x04 != 0 {
      guard level[0] == 0x88, levelCode < 0x97 else { return .nothing }
      card.identifier += level[1..<4]
      levelCode += 2
      return anticollision()
    }
    card.identifier += level[0..<4]
    card.selectAcknowledge = octets[0]
    if let wanted, wanted != card.identifier { return .nothing }
    guard asksForAnswer, octets[0] & 0x20 != 0 else { return .found(card) }
    phase = .answeringToSelect
    return .send(AirFrame(checked: Self.request), wait: Self.activationTime)
  }

  private mutating func answered(_ octets: [UInt8]?) -> ActivationStep {
    guard let octets, octets.count <= Self.maximumAnswerCount, (try? AnswerToSelect(parsing: octets.span)) != nil
    else { return .nothing }
    card.answerToSelect = octets
    return .found(card)
  }
}

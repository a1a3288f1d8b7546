internal import ISO7816
public import ReaderSimulator

/// What a reader finds of a card before the first command.
public struct SlotCard: Equatable, Sendable {
  /// The UID, or the PUPI of a card of type B.
  public let identifier: [UInt8]
  /// The ATR that the reader composes for a contactless card.
  public let answerToReset: [UInt8]

  /// A card with contacts, or any other card with an ATR of its own.
  public init(answerToReset: [UInt8], identifier: [UInt8] = []) {
    self.answerToReset = answerToReset
    self.identifier = identifier
  }

  /// A contactless card of type A: the ATR has the historical bytes of its ATS (PC/SC part 3, 3.1.3.2.3.1).
  public static func typeA(_ identity: ProximityIdentity = ProximityIdentity()) -> SlotCard {
    let history = (try? AnswerToSelect(parsing: identity.answerToSelect.span))?.historicalBytes ?? []
    return SlotCard(
      answerToReset: AnswerToReset.contactless(historicalBytes: history), identifier: identity.identifier)
  }

  /// A contactless card of type B: the ATR has the application data and protocol information of its ATQB, and the
  /// buffer length index of its ATTRIB response (PC/SC part 3, 3.1.3.2.3.1).
  ///
  public static func typeB(_ identity: TypeBIdentity = TypeBIdentity()) -> SlotCard {
    let history = identity.applicationData + identity.protocolInformation + [0x00]
    return SlotCard(
      answerToReset: AnswerToReset.contactless(historicalBytes: history), identifier: identity.identifier)
  }
}

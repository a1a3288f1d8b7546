internal import ISO7816

/// A card that a reader found and selected.
package struct ActivatedCard: Equatable, Sendable {
  /// Its type.
  var type = AirFrame.Modulation.typeA
  /// ATQA, the low byte first, as the card sends it; ATQB of type B.
  package var answerToRequest: [UInt8] = []
  /// SAK of the last cascade level; 0 for type B.
  package var selectAcknowledge: UInt8 = 0
  /// The whole identifier, without cascade tags; PUPI of type B.
  package var identifier: [UInt8] = []
  /// ATS with its length byte, empty when RATS was not sent; the answer to ATTRIB of type B.
  package var answerToSelect: [UInt8] = []

  package init(type: AirFrame.Modulation = .typeA) { self.type = type }
}

/// What a reader does after an event of an activation.
package enum ActivationStep: Equatable, Sendable {
  /// Sends a frame and waits at most `wait` for the beginning of the response.
  case send(AirFrame, wait: Duration)
  /// A card is activated.
  case found(ActivatedCard)
  /// There is no card, or only a card with another identifier.
  case nothing
}

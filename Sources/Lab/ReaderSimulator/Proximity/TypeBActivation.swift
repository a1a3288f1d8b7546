internal import ISO7816

/// A reader's activation of a card of type B, from REQB to the answer to ATTRIB (ISO/IEC 14443-3:2018, 7). Pure: each method
/// is one event. Any error ends the attempt, as in the PN532.
package struct TypeBActivation: Sendable {
  /// ATTRIB without options, for frames of 64 bytes, ISO/IEC 14443-4 and CID 0 (7.10).
  private static let parameters: [UInt8] = [0x00, 0x05, 0x01, 0x00]

  private let wakesHalted: Bool
  private let family: UInt8
  private var card: ActivatedCard?

  /// Creates an attempt.
  ///
  /// - Parameters:
  ///   - wakesHalted: Whether WUPB is sent in place of REQB.
  ///   - family: AFI, the application family that is to answer; 00 is all.
  package init(wakesHalted: Bool, family: UInt8 = 0x00) {
    self.wakesHalted = wakesHalted
    self.family = family
  }

  /// Whether a card has answered the first frame.
  package var hasMetCard: Bool { card != nil }

  /// The first frame, for one slot.
  package var first: ActivationStep {
    .send(AirFrame(checked: [0x05, family, wakesHalted ? 0x08 : 0x00], .typeB), wait: TypeAActivation.answerTime)
  }

  /// A frame arrives, or nil when none began in time.
  package mutating func receive(_ frame: AirFrame?) -> ActivationStep {
    guard let frame, frame.modulation == .typeB, let octets = frame.checkedOctets else { return .nothing }
    if var found = card {
      found.answerToSelect = octets
      return .found(found)
    }
    guard let identity = TypeBIdentity(answerToRequest: octets) else { return .nothing }
    var found = ActivatedCard(type: .typeB)
    (found.answerToRequest, found.identifier) = (octets, identity.identifier)
    card = found
    return .send(
      AirFrame(checked: [0x1D] + identity.identifier + Self.parameters, .typeB), wait: TypeAActivation.activationTime)
  }
}

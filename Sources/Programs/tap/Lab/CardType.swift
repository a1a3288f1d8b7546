import ArgumentParser
import ReaderSimulator
import USBSimulator

/// The types of contactless card that simulated readers find (ISO/IEC 14443-3).
enum CardType: String, CaseIterable, ExpressibleByArgument {
  case a
  case b

  static let help: ArgumentHelp = "The type of the card in the field, of ISO/IEC 14443: a or b."

  /// One chip and a card of this type.
  ///
  /// - Parameter identifier: Of a card of type A; 4, 7 or 10 bytes.
  func layout(identifier: [UInt8] = ProximityIdentity().identifier) -> SimulatedField.Layout {
    switch self {
    case .a: .card(ProximityIdentity(identifier: identifier))
    case .b: .cardOfTypeB(TypeBIdentity())
    }
  }

  /// A card of this type in the slot of a reader.
  var slotCard: SlotCard {
    switch self {
    case .a: .typeA()
    case .b: .typeB()
    }
  }
}

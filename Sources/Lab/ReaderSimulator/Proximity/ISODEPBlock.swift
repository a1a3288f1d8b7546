/// One block of ISO-DEP (ISO/IEC 14443-4:2018, 7.1), without its checksum.
package struct ISODEPBlock: Equatable, Sendable {
  /// The kinds of blocks.
  package enum Kind: Equatable, Sendable {
    /// I-block: a part of a command or a response.
    case information(chaining: Bool, [UInt8])
    /// R(ACK).
    case acknowledge
    /// R(NAK).
    case notAcknowledge
    /// S(DESELECT).
    case deselect
    /// S(WTX) with its multiplier, 1 to 59.
    case extendWaitingTime(UInt8)
  }

  /// The kind of the block, with its content.
  package let kind: Kind
  /// The block number, 0 or 1; 0 in S-blocks, which have none.
  package let number: UInt8
  /// The card identifier (CID), or nil for a block without one.
  package let card: UInt8?

  /// Creates a block; only bit 1 of `number` is used.
  package init(_ kind: Kind, number: UInt8 = 0, card: UInt8? = nil) {
    self.kind = kind
    self.number = number & 1
    self.card = card
  }

  /// Reads a block.
  ///
  /// - Returns: nil for bytes that are not a block, and for a block with a node address, which is not simulated.
  package init?(parsing octets: [UInt8]) {
    guard let control = octets.first else { return nil }
    let hasCard = control & 0x08 != 0
    guard octets.count > (hasCard ? 1 : 0) else { return nil }
    let card = hasCard ? octets[1] & 0x0F : nil
    let content = Array(octets.dropFirst(hasCard ? 2 : 1))
    guard let kind = Self.kind(control, content) else { return nil }
    self.init(kind, number: control & 0xC0 == 0xC0 ? 0 : control & 1, card: card)
  }

  private static func kind(_ control: UInt8, _ content: [UInt8]) -> Kind? {
    switch control & 0xF6 {
    case 0x02: .information(chaining: false, content)
    case 0x12: .information(chaining: true, content)
    case 0xA2 where content.isEmpty: .acknowledge
    case 0xB2 where content.isEmpty: .notAcknowledge
    case 0xC2 where content.isEmpty && control & 1 == 0: .deselect
    case 0xF2 where content.count == 1 && control & 1 == 0: extended(by: content[0])
    default: nil
    }
  }

  /// The upper two bits are the power level; 0 and 60 to 63 are reserved (7.3).
  private static func extended(by octet: UInt8) -> Kind? {
    let multiplier = octet & 0x3F
    return (1...59).contains(multiplier) ? .extendWaitingTime(multiplier) : nil
  }

  /// The bytes of the block.
  package var octets: [UInt8] {
    let identifier = card.map { [$0] } ?? []
    let (control, content): (UInt8, [UInt8]) =
      switch kind {
      case .information(let chaining, let content): (chaining ? 0x12 : 0x02, content)
      case .acknowledge: (0xA2, [])
      case .notAcknowledge: (0xB2, [])
      case .deselect: (0xC2, [])
      case .extendWaitingTime(let multiplier): (0xF2, [multiplier])
      }
    return [control | number | (card == nil ? 0 : 0x08)] + identifier + content
  }
}

/// Limits of ISO-DEP.
enum ISODEPLimit {
  /// The longest command or response: an extended command with 65535 bytes of data.
  static let maximumMessageCount = 65_544
}

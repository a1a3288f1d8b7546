internal import ISO7816

/// POSCII, tag DF4B: what a phone says of its holder. No public document; bits as open terminals and the notes of their
/// authors have them.
public struct CardholderInteraction: OptionSet, Hashable, Sendable {
  /// Octets 2 and 3, octet 2 in the high place. Octet 1 is a version.
  public let rawValue: UInt16

  /// Creates information.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Reads tag DF4B, or nil when it has not three octets.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 3 else { return nil }
    rawValue = UInt16(octets[1]) << 8 | UInt16(octets[2])
  }

  /// Octet 2 bit 5: the device verified its holder.
  public static let verified = CardholderInteraction(rawValue: 0x1000)
  /// Octet 2 bit 4: the phone was shown another amount or currency.
  public static let contextConflicting = CardholderInteraction(rawValue: 0x0800)
  /// Octet 2 bit 3: the holder must change the code first.
  public static let changeOfCodeRequired = CardholderInteraction(rawValue: 0x0400)
  /// Octet 2 bit 2: the holder must confirm.
  public static let acknowledgementRequired = CardholderInteraction(rawValue: 0x0200)
  /// Octet 2 bit 1: the device must verify its holder first.
  public static let verificationRequired = CardholderInteraction(rawValue: 0x0100)

  /// Whether the holder has something to do on the phone, and the same payment is tried again then. Open terminals ask
  /// for `00030F`; their table of messages sends the holder to the phone for bits 3 and 4 of octet 2, too.
  public var needsHolder: Bool { rawValue & 0x0F0F != 0 }
}

internal import Octets

/// A card with a memory and without commands, which a PC/SC reader describes in the answer to reset that it makes up
/// (PC/SC part 3, 2.01.09, 3.1.3.2.3.2). It is no payment card.
public struct StorageCard: Hashable, Sendable, CustomStringConvertible {
  /// The radio standard: byte SS.
  public let standard: UInt8
  /// The card name: bytes C0 and C1.
  public let number: UInt16

  // Category indicator, tag of the application identifier with its length, and the identifier of the PC/SC workgroup.
  private static let start: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]

  /// Reads the historical bytes of an answer to reset; nil for any other card.
  public init?(historicalBytes octets: [UInt8]) {
    guard octets.count >= Self.start.count + 3, octets.starts(with: Self.start) else { return nil }
    standard = octets[8]
    number = UInt16(octets[9]) << 8 | UInt16(octets[10])
  }

  /// The name of the card; nil for a number that this table does not have.
  public var name: String? { Self.names[number] }

  /// What it is, such as `MIFARE Classic 1K, a storage card and no payment card`.
  public var description: String { "\(name ?? "card name \(number.hex)"), a storage card and no payment card" }

  // PC/SC part 3, supplemental document of card names.
  private static let names: [UInt16: String] = [
    0x0001: "MIFARE Classic 1K", 0x0002: "MIFARE Classic 4K", 0x0003: "MIFARE Ultralight", 0x0012: "Tag-it",
    0x0013: "LRI512", 0x0014: "ICODE SLI", 0x0026: "MIFARE Mini", 0x0030: "Topaz",
    0x0036: "MIFARE Plus 2K in security level 1", 0x0037: "MIFARE Plus 4K in security level 1",
    0x0038: "MIFARE Plus 2K in security level 2", 0x0039: "MIFARE Plus 4K in security level 2",
    0x003A: "MIFARE Ultralight C", 0x003B: "FeliCa",
  ]
}

/// Issuer application data of a common core definitions (CCD) card, tag 9F10 in format code A: `0F | CCI | DKI | CVR
/// (5) | counters (8) | 0F | issuer discretionary data (15)` (EMV 4.3 Book 3, C7).
public struct CommonCoreIssuerApplicationData: Hashable, Sendable {
  /// The length of tag 9F10: 32 bytes.
  public static let count = 32

  /// The common core identifier: format code A in its left half, cryptogram version in its right.
  public let commonCoreIdentifier: UInt8
  /// The derivation key index, which selects the issuer master key.
  public let derivationKeyIndex: UInt8
  /// The card verification results: five bytes.
  public let cardVerificationResults: [UInt8]
  /// The counters: eight bytes.
  public let counters: [UInt8]
  /// The issuer discretionary data: fifteen bytes.
  public let discretionaryData: [UInt8]

  /// Reads issuer application data, or nil when they are not of this format.
  public init?(_ octets: [UInt8]) {
    guard octets.count == Self.count, octets[0] == 0x0F, octets[16] == 0x0F, octets[1] >> 4 == 0x0A else { return nil }
    commonCoreIdentifier = octets[1]
    derivationKeyIndex = octets[2]
    cardVerificationResults = Array(octets[3..<8])
    counters = Array(octets[8..<16])
    discretionaryData = Array(octets[17..<32])
  }
}

/// Visa's issuer application data, tag 9F10: key, cryptogram version and card verification results.
///
/// Formats 0, 1 and 3: `06 | DKI | CVN | CVR (4)`; further bytes are the issuer's. Format 2: `1F | CVN | DKI | CVR
/// (5)` and so on to 32 bytes. The layouts are known from public recordings; the scheme's document is not public.
public struct VisaIssuerApplicationData: Hashable, Sendable {
  /// The layout of the bytes.
  public enum Layout: Sendable {
    /// Formats 0, 1 and 3.
    case standard
    /// Format 2.
    case format2
  }

  /// The layout of the bytes.
  public let layout: Layout
  /// The derivation key index, which selects the issuer master key.
  public let derivationKeyIndex: UInt8
  /// The cryptogram version number.
  public let cryptogramVersionNumber: UInt8
  /// The card verification results: four bytes, five in format 2.
  public let cardVerificationResults: [UInt8]

  /// Reads issuer application data, or nil when it has neither layout.
  public init?(_ octets: [UInt8]) {
    guard let count = octets.first, octets.count >= 7 else { return nil }
    switch count {
    case 0x06:
      layout = .standard
      derivationKeyIndex = octets[1]
      cryptogramVersionNumber = octets[2]
      cardVerificationResults = Array(octets[3..<7])
    case 0x1F where octets.count == 32:
      layout = .format2
      cryptogramVersionNumber = octets[1]
      derivationKeyIndex = octets[2]
      cardVerificationResults = Array(octets[3..<8])
    default: return nil
    }
  }

  /// Issuer application data of the standard layout.
  ///
  /// - Parameter cardVerificationResults: Four bytes, the first of them `03`, the length of the others.
  public static func standard(
    derivationKeyIndex: UInt8, cryptogramVersionNumber: UInt8, cardVerificationResults: [UInt8]
  ) -> [UInt8] {
    [0x06, derivationKeyIndex, cryptogramVersionNumber] + cardVerificationResults
  }
}

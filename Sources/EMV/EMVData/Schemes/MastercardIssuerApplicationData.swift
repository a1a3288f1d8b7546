/// Mastercard's issuer application data, tag 9F10: key, cryptogram version and card verification results.
///
/// `DKI | CVN | CVR (6) | DAC (2) | counters (8)`; a card may omit the bytes after the CVR, and further bytes
/// are the issuer's. The layout is known from public recordings; the scheme's document is not public.
public struct MastercardIssuerApplicationData: Hashable, Sendable {
  /// The lengths that tag 9F10 can have here: index, version and CVR at least, 32 bytes at most.
  public static let counts = 8...32

  /// The derivation key index, which selects the issuer master key.
  public let derivationKeyIndex: UInt8
  /// The cryptogram version number.
  public let cryptogramVersionNumber: UInt8
  /// The card verification results: six bytes.
  public let cardVerificationResults: [UInt8]
  /// The data authentication code or the ICC's dynamic number, two bytes; nil when omitted.
  public let dataAuthenticationCode: [UInt8]?
  /// The counters, plain or enciphered: eight bytes; nil when omitted.
  public let counters: [UInt8]?

  /// Reads issuer application data, or nil when the length is outside `counts`.
  public init?(_ octets: [UInt8]) {
    guard Self.counts.contains(octets.count) else { return nil }
    derivationKeyIndex = octets[0]
    cryptogramVersionNumber = octets[1]
    cardVerificationResults = Array(octets[2..<8])
    dataAuthenticationCode = octets.count >= 10 ? Array(octets[8..<10]) : nil
    counters = octets.count >= 18 ? Array(octets[10..<18]) : nil
  }
}

internal import Octets

/// Tag 9F71 of American Express: whether and how the device verified the cardholder
/// (EMV Contactless Book C-4, 8.2.4 and 11.2.3).
public struct MobileVerificationResults: Hashable, Sendable {
  /// Whether a mobile CVM was performed: 01 performed, 3F not.
  public let performed: UInt8
  /// Whether it was required: 00 not required, 03 required by the terminal.
  public let condition: UInt8
  /// The result: 00 unknown, 01 failed, 02 successful, 03 blocked.
  public let result: UInt8

  /// Reads three bytes; nil for any other number of bytes.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 3 else { return nil }
    (performed, condition, result) = (octets[0], octets[1], octets[2])
  }

  /// The three parts in words.
  public var words: [String] {
    [
      "byte 1: \([0x01: "mobile CVM performed", 0x3F: "no CVM performed"][performed] ?? "RFU (\(performed.hex))")",
      "byte 2: "
        + ([0x00: "mobile CVM not required", 0x03: "terminal required CVM"][condition] ?? "RFU (\(condition.hex))"),
      "byte 3: " + ([0: "unknown", 1: "failed", 2: "successful", 3: "blocked"][result] ?? "RFU (\(result.hex))"),
    ]
  }
}

/// Tag 9F69 of Visa: data that a fast dynamic signature covers (EMV Contactless Book C-3, annex C).
public struct CardAuthenticationRelatedData: Hashable, Sendable {
  /// The version of the signature: 01.
  public let version: UInt8
  /// The card's unpredictable number: four bytes.
  public let unpredictableNumber: [UInt8]
  /// The card transaction qualifiers: they must equal tag 9F6C (5.7.1.2).
  public let qualifiers: CardTransactionQualifiers

  /// Reads at least seven bytes; nil for fewer.
  public init?(_ octets: [UInt8]) {
    guard octets.count >= 7, let qualifiers = CardTransactionQualifiers(octets: Array(octets[5..<7])) else {
      return nil
    }
    version = octets[0]
    unpredictableNumber = Array(octets[1..<5])
    self.qualifiers = qualifiers
  }

  /// The parts in words.
  public var words: [String] {
    ["fDDA version \(version.hex)", "card's unpredictable number \(unpredictableNumber.hex)"]
      + qualifiers.words.map { "CTQ \($0)" }
  }
}

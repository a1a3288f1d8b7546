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

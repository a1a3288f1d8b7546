internal import EMVData
internal import Octets

/// The bytes of data elements in words.
enum ElementText {
  /// Tag 9F27: the cryptogram's type, whether the card requires an advice, and the reason (EMV 4.4 Book 3, table 15).
  @Sendable static func cryptogramInformation(_ value: [UInt8]) -> [String] {
    guard value.count == 1 else { return [] }
    let octet = value[0]
    var words = [CryptogramType(cryptogramInformationData: octet)?.rawValue ?? "reserved type"]
    if octet & 0x30 != 0 { words.append("payment system specific cryptogram \(octet >> 4 & 0x03)") }
    if octet & 0x08 != 0 { words.append("advice required") }
    if octet & 0x07 != 0 { words.append(reasons[octet & 0x07] ?? "RFU (\(octet & 0x07))") }
    return words
  }

  private static let reasons: [UInt8: String] = [
    1: "service not allowed", 2: "PIN try limit exceeded", 3: "issuer authentication failed",
  ]

  /// Tag 9F35: the party that controls the terminal, and the terminal's environment (EMV 4.4 Book 4, annex A1).
  @Sendable static func terminalType(_ value: [UInt8]) -> [String] {
    guard value.count == 1 else { return [] }
    guard let control = controls[value[0] >> 4], let place = environments[value[0] & 0x0F] else {
      return ["reserved \(value.hex)"]
    }
    return ["\(control), \(place)"]
  }

  private static let controls: [UInt8: String] = [1: "financial institution", 2: "merchant", 3: "cardholder"]

  private static let environments: [UInt8: String] = [
    1: "attended, online only", 2: "attended, offline with online capability", 3: "attended, offline only",
    4: "unattended, online only", 5: "unattended, offline with online capability", 6: "unattended, offline only",
  ]

  /// Tag 9F39: how the account number was entered (ISO 8583:1987, 4.3.14, as EMV 4.4 Book 4 uses it).
  @Sendable static func entryMode(_ value: [UInt8]) -> [String] {
    value.count == 1 ? [entryModes[value[0]] ?? "mode \(value.hex)"] : []
  }

  private static let entryModes: [UInt8: String] = [
    0x00: "unknown", 0x01: "manual entry", 0x02: "magnetic stripe", 0x03: "bar code", 0x04: "optical characters",
    0x05: "chip", 0x07: "contactless chip", 0x10: "credentials on file", 0x80: "magnetic stripe after a failed chip",
    0x90: "magnetic stripe, whole track", 0x91: "contactless magnetic stripe data", 0x95: "chip, CVV may be unreliable",
    0x99: "as in the original transaction",
  ]

  /// Tag 9F69 of Visa: data that a fast dynamic signature covers (EMV Contactless Book C-3, annex C). The card transaction
  /// qualifiers must equal tag 9F6C (5.7.1.2).
  @Sendable static func cardAuthenticationRelatedData(_ value: [UInt8]) -> [String] {
    guard value.count >= 7 else { return [] }
    return ["fDDA version \(value[0].hex)", "card's unpredictable number \(Array(value[1..<5]).hex)"]
      + (CardTransactionQualifiers.layout.words(Array(value[5..<7])) ?? []).map { "CTQ \($0)" }
  }
}

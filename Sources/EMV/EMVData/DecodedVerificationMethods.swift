internal import Octets

/// Cardholder verification methods in words (EMV 4.4 Book 3, annex C3; Book 4, annex A4).
enum VerificationMethodWords {
  /// Tag 8E: two amounts of four octets, then rules of two.
  static func list(_ value: [UInt8]) -> [String] {
    guard value.count >= 8, value.count % 2 == 0 else { return [] }
    let rules = stride(from: 8, to: value.count, by: 2).map { rule(value[$0], value[$0 + 1]) }
    return ["amount X \(value[0..<4].hex), amount Y \(value[4..<8].hex)"] + rules
  }

  /// Tag 9F34: the method, its condition, how it went.
  static func results(_ value: [UInt8]) -> [String] {
    guard value.count == 3 else { return [] }
    let outcome = [0: "unknown", 1: "failed", 2: "successful"][value[2]] ?? "reserved \(value[2].hex)"
    return [rule(value[0], value[1]) + ": " + outcome]
  }

  private static func rule(_ method: UInt8, _ condition: UInt8) -> String {
    let name = methods[method & 0x3F] ?? "reserved method \((method & 0x3F).hex)"
    let next = method & 0x40 != 0 ? ", else the next rule" : ""
    return "\(name), \(conditions[condition] ?? "reserved condition \(condition.hex)")\(next)"
  }

  private static let methods: [UInt8: String] = [
    0x00: "fail CVM processing", 0x01: "plaintext PIN by the card (contactless: code verified on the device)",
    0x02: "enciphered PIN online", 0x03: "plaintext PIN by the card and signature", 0x04: "enciphered PIN by the card",
    0x05: "enciphered PIN by the card and signature", 0x1E: "signature", 0x1F: "no CVM required",
    0x3F: "no CVM performed",
  ]

  private static let conditions: [UInt8: String] = [
    0x00: "always", 0x01: "if unattended cash",
    0x02: "if not unattended cash, manual cash or purchase with cashback", 0x03: "if the terminal supports it",
    0x04: "if manual cash", 0x05: "if purchase with cashback",
    0x06: "if in the application currency and under amount X", 0x07: "if in the application currency and over amount X",
    0x08: "if in the application currency and under amount Y", 0x09: "if in the application currency and over amount Y",
  ]
}

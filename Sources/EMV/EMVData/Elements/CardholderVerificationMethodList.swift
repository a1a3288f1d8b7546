internal import Octets

/// A rule of the CVM List: a method, the condition under which it applies, and the action after a failure
/// (EMV 4.4 Book 3, annex C3).
public struct CardholderVerificationRule: Hashable, Sendable, CustomStringConvertible {
  /// The first byte: the method, bit 7 set when the next rule applies after a failure.
  public let method: UInt8
  /// The second byte: the condition.
  public let condition: UInt8

  /// The method alone: bits 6 to 1.
  public var code: UInt8 { method & 0x3F }

  /// Whether the next rule applies when this method fails (bit 7).
  public var continues: Bool { method & 0x40 != 0 }

  /// Method, condition and action after a failure, in words.
  public var description: String {
    let name = Self.methods[code] ?? "reserved method \(code.hex)"
    let when = Self.conditions[condition] ?? "reserved condition \(condition.hex)"
    return "\(name), \(when)\(continues ? ", else the next rule" : "")"
  }

  private static let methods: [UInt8: String] = [
    0x00: "fail CVM processing", 0x01: "plaintext PIN by the card (contactless: code verified on the device)",
    0x02: "enciphered PIN online", 0x03: "plaintext PIN by the card and signature", 0x04: "enciphered PIN by the card",
    0x05: "enciphered PIN by the card and signature", 0x06: "face by the card", 0x07: "face online",
    0x08: "finger by the card", 0x09: "finger online", 0x0A: "palm by the card", 0x0B: "palm online",
    0x0C: "iris by the card", 0x0D: "iris online", 0x0E: "voice by the card", 0x0F: "voice online",
    0x1E: "signature", 0x1F: "no CVM required", 0x3F: "no CVM performed",
  ]

  private static let conditions: [UInt8: String] = [
    0x00: "always", 0x01: "if unattended cash",
    0x02: "if not unattended cash, manual cash or purchase with cashback", 0x03: "if the terminal supports it",
    0x04: "if manual cash", 0x05: "if purchase with cashback",
    0x06: "if in the application currency and under amount X", 0x07: "if in the application currency and over amount X",
    0x08: "if in the application currency and under amount Y", 0x09: "if in the application currency and over amount Y",
  ]
}

/// CVM List, tag 8E: two amounts and the rules in order (EMV 4.4 Book 3, 10.5 and annex C3).
public struct CardholderVerificationMethodList: Hashable, Sendable {
  /// Amount X in the application currency's smallest unit, binary.
  public let amountX: UInt32
  /// Amount Y in the application currency's smallest unit, binary.
  public let amountY: UInt32
  /// The rules in order.
  public let rules: [CardholderVerificationRule]

  /// Reads tag 8E: eight bytes of amounts and pairs of bytes; nil for other lengths.
  public init?(_ octets: [UInt8]) {
    guard octets.count >= 8, octets.count % 2 == 0 else { return nil }
    amountX = octets[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
    amountY = octets[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
    rules = stride(from: 8, to: octets.count, by: 2).map {
      CardholderVerificationRule(method: octets[$0], condition: octets[$0 + 1])
    }
  }

  /// The amounts, then each rule, in words.
  public var words: [String] { ["amount X \(amountX.hex), amount Y \(amountY.hex)"] + rules.map(\.description) }
}

/// CVM Results, tag 9F34: the last method tried and its result (EMV 4.4 Book 4, annex A4).
public struct CardholderVerificationMethodResults: Hashable, Sendable, CustomStringConvertible {
  /// The method and its condition.
  public let rule: CardholderVerificationRule
  /// The third byte.
  public let result: UInt8

  /// Reads tag 9F34, or nil when it has other than three bytes.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 3 else { return nil }
    rule = CardholderVerificationRule(method: octets[0], condition: octets[1])
    result = octets[2]
  }

  /// Method, condition and result in words: unknown, as for a signature; failed, or no condition was met; successful.
  public var description: String {
    "\(rule): " + ([0: "unknown", 1: "failed", 2: "successful"][result] ?? "reserved \(result.hex)")
  }
}

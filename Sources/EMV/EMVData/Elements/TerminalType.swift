internal import Octets

/// Tag 9F35: the party that controls the terminal, and the terminal's environment (EMV 4.4 Book 4, annex A1).
public struct TerminalType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The byte: two decimal digits.
  public let rawValue: UInt8

  /// Creates a type from its byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Control and environment in words; `reserved` for other values.
  public var description: String {
    guard let control = Self.controls[rawValue >> 4], let place = Self.environments[rawValue & 0x0F] else {
      return "reserved \(rawValue.hex)"
    }
    return "\(control), \(place)"
  }

  private static let controls: [UInt8: String] = [1: "financial institution", 2: "merchant", 3: "cardholder"]

  private static let environments: [UInt8: String] = [
    1: "attended, online only", 2: "attended, offline with online capability", 3: "attended, offline only",
    4: "unattended, online only", 5: "unattended, offline with online capability", 6: "unattended, offline only",
  ]
}

/// Tag 9F39: how the account number was entered (ISO 8583:1987, 4.3.14, as EMV 4.4 Book 4 uses it).
public struct POSEntryMode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The byte: two decimal digits.
  public let rawValue: UInt8

  /// Creates a mode from its byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The mode in words; the byte for unknown modes.
  public var description: String { Self.names[rawValue] ?? "mode \(rawValue.hex)" }

  private static let names: [UInt8: String] = [
    0x00: "unknown", 0x01: "manual entry", 0x02: "magnetic stripe", 0x03: "bar code", 0x04: "optical characters",
    0x05: "chip", 0x07: "contactless chip", 0x10: "credentials on file", 0x80: "magnetic stripe after a failed chip",
    0x90: "magnetic stripe, whole track", 0x91: "contactless magnetic stripe data", 0x95: "chip, CVV may be unreliable",
    0x99: "as in the original transaction",
  ]
}

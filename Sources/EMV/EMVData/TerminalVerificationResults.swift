/// TVR, tag 95: what the terminal found (EMV 4.4 Book 3, annex C5). Five octets in the low part of 64 bits.
public struct TerminalVerificationResults: Hashable, Sendable {
  /// The five octets, the first in bits 40 to 33.
  public let rawValue: UInt64

  /// Creates results; only the low 40 bits count.
  public init(rawValue: UInt64 = 0) {
    self.rawValue = rawValue & 0xFF_FFFF_FFFF
  }

  /// The five octets.
  public var octets: [UInt8] { (0..<5).reversed().map { UInt8(truncatingIfNeeded: rawValue >> UInt64($0 * 8)) } }

  /// The names of the bits that are set, in order.
  public var words: [String] {
    Self.bits.filter { rawValue >> UInt64((5 - $0.octet) * 8 + $0.bit - 1) & 1 == 1 }
      .map { "byte \($0.octet) bit \($0.bit): \($0.name)" }
  }

  static let bits = [
    NamedBit(1, 8, "offline data authentication was not performed"), NamedBit(1, 7, "SDA failed"),
    NamedBit(1, 6, "ICC data missing"), NamedBit(1, 5, "card appears on terminal exception file"),
    NamedBit(1, 4, "DDA failed"), NamedBit(1, 3, "CDA failed"), NamedBit(1, 2, "SDA selected"),
    NamedBit(2, 8, "card and terminal have different application versions"), NamedBit(2, 7, "expired application"),
    NamedBit(2, 6, "application not yet effective"),
    NamedBit(2, 5, "requested service not allowed for card product"), NamedBit(2, 4, "new card"),
    NamedBit(3, 8, "cardholder verification was not successful"), NamedBit(3, 7, "unrecognised CVM"),
    NamedBit(3, 6, "PIN try limit exceeded"),
    NamedBit(3, 5, "PIN entry required and PIN pad not present or not working"),
    NamedBit(3, 4, "PIN entry required, PIN pad present, but PIN was not entered"),
    NamedBit(3, 3, "online CVM captured"), NamedBit(4, 8, "transaction exceeds floor limit"),
    NamedBit(4, 7, "lower consecutive offline limit exceeded"),
    NamedBit(4, 6, "upper consecutive offline limit exceeded"),
    NamedBit(4, 5, "transaction selected randomly for online processing"),
    NamedBit(4, 4, "merchant forced transaction online"), NamedBit(5, 8, "default TDOL used"),
    NamedBit(5, 7, "issuer authentication failed"),
    NamedBit(5, 6, "script processing failed before final GENERATE AC"),
    NamedBit(5, 5, "script processing failed after final GENERATE AC"),
  ]
}

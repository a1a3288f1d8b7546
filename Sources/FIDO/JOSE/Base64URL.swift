internal import Foundation
internal import Octets

extension [UInt8] {
  /// Reads base64url without padding (RFC 4648 section 5, RFC 7515 section 2).
  ///
  /// The reading is strict, so that every value has exactly one text: padding, white space, characters of other
  /// alphabets, a remainder of one character, and unused bits that are not zero are errors.
  ///
  /// - Throws: `JOSEError` with code `malformed`.
  public init(base64URL text: some StringProtocol) throws(JOSEError) {
    let count = text.utf8.count
    guard count % 4 != 1 else {
      throw JOSEError(.malformed, "base64url of \(count.counted("character")): the length modulo 4 cannot be 1")
    }
    var octets: [UInt8] = []
    octets.reserveCapacity(count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for (position, character) in text.utf8.enumerated() {
      guard let digit = Self.digit(character) else {
        throw JOSEError(.malformed, "character \(position) does not belong to base64url")
      }
      bits = bits << 6 | UInt32(digit)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      bits &= 1 << UInt32(bitCount) - 1
    }
    guard bits == 0 else { throw JOSEError(.malformed, "the unused bits at the end of base64url are not zero") }
    self = octets
  }

  /// Base64url text without padding (RFC 4648 section 5, RFC 7515 section 2).
  public var base64URL: String {
    Data(self).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
  }

  /// Base64 text with padding (RFC 4648 section 4).
  public var base64: String { Data(self).base64EncodedString() }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

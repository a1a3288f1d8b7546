/// The payload of a JWS, read without the parsers of the product (RFC 7515, section 7.1).
struct SignedText: Equatable {
  /// The payload as JSON.
  let payload: String

  /// Nil for octets that are no JWS in compact serialization.
  init?(_ octets: [UInt8]) {
    let parts = octets.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Self.decoded(parts[1]) else { return nil }
    self.payload = String(decoding: payload, as: UTF8.self)
  }

  /// The text of a member of the payload; nil without it. Texts with escapes are not read.
  func text(_ name: String) -> String? { payload.member(name) }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Base64url without padding (RFC 4648, section 5).
  private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var octets: [UInt8] = []
    var (bits, count) = (0, 0)
    for character in text {
      guard let value = digits.firstIndex(of: character) else { return nil }
      (bits, count) = (bits << 6 | value, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      octets.append(UInt8(bits >> count & 0xFF))
      bits &= (1 << count) - 1
    }
    return octets
  }
}

extension String {
  /// The text of a member of an object in JSON, the first one of the name; nil without it. Texts with escapes are not read.
  func member(_ name: String) -> String? {
    let parts = split(separator: "\"\(name)\":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let value = parts[1].drop { $0 == " " }
    guard value.first == "\"" else { return nil }
    return value.dropFirst().split(separator: "\"", omittingEmptySubsequences: false).first.map(String.init)
  }
}

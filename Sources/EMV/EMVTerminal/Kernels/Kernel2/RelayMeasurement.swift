internal import EMVData
internal import Octets

/// A measurement of the relay resistance protocol, as a host gets it in tag 57 of a payment without CDA: what open terminals
/// agree on.
public struct RelayMeasurement: Hashable, Sendable {
  /// How often the exchange was repeated, 0...2.
  public let furtherTries: Int
  /// The four random bytes of the card, tag DF8302.
  public let entropy: [UInt8]
  /// The measured time in units of 100 microseconds.
  public let time: Int

  /// Returns track 2 with the measurement as its discretionary data: 13 digits behind an account number of up to 16 digits, 10
  /// behind a longer one. The digits are the index of the authority, the repetitions, bytes 1 and 2 of the card's number in
  /// decimal, with 13 digits its byte 3, and the time in milliseconds, at most 999.
  ///
  /// - Parameters:
  ///   - track: Tag 57.
  ///   - authorityIndex: Tag 8F; one above 9, or none, is written as 0.
  /// - Returns: Nil when the track is malformed, or the card's number has less than three bytes.
  public func rewritten(_ track: [UInt8], authorityIndex: UInt8?) -> [UInt8]? {
    let text = track.hex
    guard Track2EquivalentData(track) != nil, let separator = text.firstIndex(of: "D"), entropy.count >= 3 else {
      return nil
    }
    let isShort = text.distance(from: text.startIndex, to: separator) <= 16
    let kept = text[...separator] + text[text.index(after: separator)...].prefix(7)
    let index = authorityIndex.map { $0 < 10 ? Int($0) : 0 } ?? 0
    var digits = "\(index)\(furtherTries)" + Self.decimal(Int(entropy[0]) << 8 | Int(entropy[1]), 5)
    if isShort { digits += Self.decimal(Int(entropy[2]), 3) }
    digits += Self.decimal(min(999, time / 10), 3)
    let whole = kept + digits
    return try? [UInt8](hex: whole.count.isMultiple(of: 2) ? String(whole) : "\(whole)F")
  }

  private static func decimal(_ value: Int, _ count: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

internal import Octets
internal import Transcripts

/// The records of a classic capture file (IETF draft-ietf-opsawg-pcap): a header of 24 bytes, then records of 16 bytes and a
/// packet.
struct ClassicCapture {
  private let octets: [UInt8]
  private let isBigEndian: Bool
  /// Nanoseconds in the unit of the second time field.
  private let unit: Int64
  private let linkType: UInt64
  private var offset = 24
  /// The number of records so far.
  private(set) var number = 0

  private static let microseconds: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
  private static let nanoseconds: [UInt8] = [0xA1, 0xB2, 0x3C, 0x4D]

  static func recognises(_ octets: [UInt8]) -> Bool {
    let mark = Array(octets.prefix(4))
    return octets.count >= 24 && [microseconds, nanoseconds].contains { $0 == mark || $0.reversed() == mark }
  }

  init(_ octets: [UInt8]) throws(TranscriptError) {
    self.octets = octets
    isBigEndian = octets.first == 0xA1
    let mark = Array(octets.prefix(4))
    unit = mark == Self.nanoseconds || mark.reversed() == Self.nanoseconds ? 1 : 1000
    linkType = 0xFFFF & Self.number(octets[20..<24], isBigEndian)
  }

  /// Reads the next packet; nil at the end.
  mutating func next() throws(TranscriptError) -> CapturedPacket? {
    let left = octets.count - offset
    if left == 0 { return nil }
    number += 1
    guard left >= 16 else { throw cut(16, left) }
    let fields = stride(from: offset, to: offset + 12, by: 4).map { Self.number(octets[$0..<($0 + 4)], isBigEndian) }
    let count = Int(fields[2])
    guard left - 16 >= count else { throw cut(16 + count, left) }
    let start = offset + 16
    offset = start + count
    return CapturedPacket(
      number: number, linkType: linkType, octets: octets[start..<offset],
      time: Int64(fields[0]) * 1_000_000_000 + Int64(fields[1]) * unit)
  }

  private static func number(_ octets: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt64 {
    (isBigEndian ? Array(octets) : octets.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func cut(_ wanted: Int, _ left: Int) -> TranscriptError {
    TranscriptError(
      .unexpected(found: "record \(number), cut off after \(left.bytes)", expected: "a record of \(wanted)"),
      line: number)
  }
}

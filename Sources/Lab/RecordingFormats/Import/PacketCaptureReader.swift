internal import ISO7816
internal import Octets
internal import Transcripts

/// Reads the packets of a capture: blocks of pcapng (IETF draft-ietf-opsawg-pcapng, 4) or records of a classic pcap file, in
/// either byte order. Packets of link types that carry no APDU are left out.
enum PacketCaptureReader {
  private static let section: UInt32 = 0x0A0D_0D0A
  private static let orderMark: UInt32 = 0x1A2B_3C4D

  /// Returns whether bytes begin with a section header block, or with the header of a classic file.
  @Sendable
  static func recognises(_ octets: [UInt8]) -> Bool {
    if ClassicCapture.recognises(octets) { return true }
    guard octets.count >= 12, octets[0..<4] == [0x0A, 0x0D, 0x0D, 0x0A] else { return false }
    let mark = octets[8..<12].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return mark == orderMark || mark == orderMark.byteSwapped
  }

  /// Reads a capture. Frames with a wrong checksum are ignored.
  ///
  /// - Throws: `TranscriptError` with the number of the block for a capture that is cut off or malformed, and for one
  ///   without a packet that can hold an APDU.
  @Sendable
  static func read(_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents {
    var reading = CapturedExchanges()
    if ClassicCapture.recognises(octets) {
      var records = try ClassicCapture(octets)
      while let packet = try records.next() { try reading.take(packet) }
      return try reading.contents(records.number)
    }
    var blocks = BlockReader(octets: octets)
    var interfaces: [CaptureInterface] = []
    while let block = try blocks.next() {
      switch block.type {
      case section: interfaces = []
      case 1: interfaces.append(try CaptureInterface(block))
      case 6: try reading.take(try CapturedPacket(block, interfaces))
      default: break
      }
    }
    return try reading.contents(blocks.number)
  }

  /// A block without its lengths.
  struct Block {
    /// From 1.
    let number: Int
    let type: UInt32
    let body: ArraySlice<UInt8>
    let isBigEndian: Bool

    /// An unsigned number of the body; nil when the body ends before it.
    func number(_ count: Int, at offset: Int) -> UInt64? {
      guard offset >= 0, body.count - offset >= count else { return nil }
      let octets = body.dropFirst(offset).prefix(count)
      return isBigEndian
        ? octets.reduce(0) { $0 << 8 | UInt64($1) } : octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func error(_ found: String, expected: String) -> TranscriptError {
      TranscriptError(.unexpected(found: "block \(number), \(found)", expected: expected), line: number)
    }
  }

  private struct BlockReader {
    let octets: [UInt8]
    private(set) var number = 0
    private var offset = 0
    private var isBigEndian = false

    init(octets: [UInt8]) { self.octets = octets }

    /// Reads the next block; nil at the end.
    mutating func next() throws(TranscriptError) -> Block? {
      let rest = octets[offset...]
      if rest.isEmpty { return nil }
      number += 1
      // The first number of a section header reads the same in both orders, and the mark in it states the order.
      if rest.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) { isBigEndian = rest.dropFirst(8).first == 0x1A }
      let whole = Block(number: number, type: 0, body: rest, isBigEndian: isBigEndian)
      guard let type = whole.number(4, at: 0), let count = whole.number(4, at: 4) else {
        throw whole.error("cut off after \(rest.count.bytes)", expected: "type and length")
      }
      guard count >= 12, count.isMultiple(of: 4), count <= UInt64(rest.count) else {
        throw whole.error("a length of \(count)", expected: "a multiple of 4, at least 12 and at most \(rest.count)")
      }
      offset += Int(count)
      return Block(
        number: number, type: UInt32(type), body: rest.dropFirst(8).prefix(Int(count) - 12), isBigEndian: isBigEndian)
    }
  }
}

internal import Transcripts

extension RecordingFormat {
  /// A Proxmark's binary trace of ISO/IEC 14443 frames.
  public static let proxmarkTrace = RecordingFormat(
    name: "proxmark", title: "Proxmark trace", recognisesOctets: ProxmarkTrace.recognises, read: ProxmarkTrace.read)
}

/// Reads records of a u32 start, a u16 duration and a u16 length, little endian, then the frame and a parity bit per
/// byte. Times are in periods of 13.56 MHz. Bit 15 of the length marks frames of the card.
enum ProxmarkTrace {
  private static let headerCount = 8

  /// Returns whether bytes look like a trace: they are not text, and the first eight records are well-formed.
  @Sendable
  static func recognises(_ octets: [UInt8]) -> Bool {
    guard octets.count >= headerCount, octets.prefix(4096).contains(where: { $0 < 0x09 }) else { return false }
    var reader = RecordReader(octets: octets)
    for _ in 0..<8 {
      guard let frame = try? reader.next() else { return reader.isAtEnd && reader.record > 0 }
      if !(1...ImportedFrame.maximumCount).contains(frame.octets.count) { return false }
    }
    return true
  }

  /// Reads a trace. Frames with a wrong checksum are ignored. An exchange whose response misses a frame is torn.
  @Sendable
  static func read(_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents {
    var builder = TranscriptBuilder()
    var reader = RecordReader(octets: octets)
    var assembly = FrameAssembly(nanoseconds: nanoseconds)
    while let frame = try reader.next() { try assembly.take(frame, &builder) }
    return builder.contents
  }

  private struct RecordReader {
    let octets: [UInt8]
    private(set) var record = 0
    private var offset = 0
    private var last: UInt32?
    private var clock: Int64 = 0

    init(octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { offset == octets.count }

    /// Reads the next record; nil at the end.
    mutating func next() throws(TranscriptError) -> ImportedFrame? {
      let left = octets.count - offset
      if left == 0 { return nil }
      guard left >= headerCount else { throw cut(headerCount, left) }
      let start = number(4, at: 0)
      let duration = Int64(number(2, at: 4))
      let length = Int(number(2, at: 6))
      let count = length & 0x7FFF
      let whole = headerCount + count + (count + 7) / 8
      guard left >= whole else { throw cut(whole, left) }
      record += 1
      // The clock has 32 bits and overflows every five minutes. A step of half its range or more goes back and is
      // ignored.
      let step = start &- (last ?? start)
      clock += step < 0x8000_0000 ? Int64(step) : 0
      last = start
      let frame = octets[(offset + headerCount)..<(offset + headerCount + count)]
      offset += whole
      // The duration of more than 56 bytes does not fit its field. A byte takes nine bits of 128 periods, start and
      // end take one each.
      let periods = count > 56 ? (9 * Int64(count) + 2) * 128 : duration
      return ImportedFrame(
        record: record, isOfCard: length & 0x8000 != 0, octets: frame, start: clock, end: clock + periods)
    }

    private func number(_ count: Int, at place: Int) -> UInt32 {
      octets[(offset + place)..<(offset + place + count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func cut(_ wanted: Int, _ left: Int) -> TranscriptError {
      TranscriptError(
        .unexpected(found: "record \(record + 1), cut off after \(left) bytes", expected: "a record of \(wanted)"),
        line: record + 1)
    }
  }

  /// Converts periods of 13.56 MHz to nanoseconds. The longest input, 64 MiB of records whose clock advances by 2^31
  /// each, has less than 2^54 periods. Whole and rest are converted apart because the product would overflow.
  @Sendable
  static func nanoseconds(_ periods: Int64) -> Int64 { periods / 339 * 25_000 + periods % 339 * 25_000 / 339 }
}

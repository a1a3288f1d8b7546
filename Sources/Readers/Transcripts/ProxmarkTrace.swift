internal import Octets

/// A Proxmark's binary trace: records of a u32 start, a u16 duration, a u16 length with the card's bit 15 (all little
/// endian, in periods of 13.56 MHz), the frame, and a parity bit per octet.
struct ProxmarkTrace {
  private struct Frame {
    let record: Int
    let isOfCard: Bool
    let octets: ArraySlice<UInt8>
    /// Periods since the trace's first frame.
    let start: Int64
    let end: Int64
  }

  private static let headerCount = 8

  /// Whether octets look like a trace: no text, and the first records fit into each other.
  static func recognises(_ octets: [UInt8]) -> Bool {
    guard octets.count >= headerCount, octets.prefix(4096).contains(where: { $0 < 0x09 }) else { return false }
    var reader = RecordReader(octets: octets)
    for _ in 0..<8 {
      guard let frame = try? reader.next() else { return reader.isAtEnd && reader.record > 0 }
      if !(1...RecordReader.maximumFrame).contains(frame.octets.count) { return false }
    }
    return true
  }

  /// Reads a trace. Frames with a wrong checksum are left out, an APDU that misses one is torn.
  static func read(_ octets: [UInt8], into builder: inout ImportBuilder) throws(TranscriptError) {
    var reader = RecordReader(octets: octets)
    var assembly = Assembly()
    while let frame = try reader.next() { try assembly.take(frame, &builder) }
  }

  private struct RecordReader {
    // The longest frame of ISO/IEC 14443-4:2018 has 4096 octets.
    static let maximumFrame = 4096

    let octets: [UInt8]
    private(set) var record = 0
    private var offset = 0
    private var last: UInt32?
    private var clock: Int64 = 0

    init(octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { offset == octets.count }

    /// The next record, or nil at the end.
    mutating func next() throws(TranscriptError) -> Frame? {
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
      // The clock is of 32 bits and turns over every five minutes; a step back is none.
      let step = start &- (last ?? start)
      clock += step < 0x8000_0000 ? Int64(step) : 0
      last = start
      let frame = octets[(offset + headerCount)..<(offset + headerCount + count)]
      offset += whole
      // The duration does not fit for more than 56 octets: nine bits each, and start and end, of 128 periods.
      let periods = count > 56 ? (9 * Int64(count) + 2) * 128 : duration
      return Frame(record: record, isOfCard: length & 0x8000 != 0, octets: frame, start: clock, end: clock + periods)
    }

    private func number(_ count: Int, at place: Int) -> UInt32 {
      octets[(offset + place)..<(offset + place + count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func cut(_ wanted: Int, _ left: Int) -> TranscriptError {
      TranscriptError(
        .unexpected(read: "record \(record + 1), cut off after \(left) octets", expected: "a record of \(wanted)"),
        line: record + 1)
    }
  }

  /// Puts blocks together (ISO/IEC 14443-4:2018, 7.5).
  private struct Assembly {
    private struct Part {
      var octets: [UInt8] = []
      var start: Int64 = 0
      var isOpen = false
    }

    private var command = Part()
    private var answer = Part()
    private var last: [Bool: TransmissionBlock] = [:]
    private var expectsAnswerToSelect = false
    private var isLost = false
    private var commandEnd: Int64 = 0
    private var first: Int64?

    mutating func take(_ frame: Frame, _ builder: inout ImportBuilder) throws(TranscriptError) {
      guard FrameChecksum.isRight(frame.octets) else {
        // A block of the card that the sniffer did not get whole.
        if frame.isOfCard, builder.isWaiting, frame.octets.count > 3, frame.octets.first.map({ $0 & 0xE2 }) == 0x02 {
          lose(frame, &builder)
        }
        return
      }
      let body = frame.octets.dropLast(2)
      if !frame.isOfCard, body.count == 2, body.first == 0xE0 {
        // RATS: a new activation; block numbers begin anew.
        self = Assembly(first: first)
        expectsAnswerToSelect = true
      } else if frame.isOfCard, expectsAnswerToSelect {
        builder.comment("ATS: \(Array(body).hex)")
        expectsAnswerToSelect = false
      } else if case .information(_, let isChained, let octets)? = TransmissionBlock(body) {
        let block = TransmissionBlock(body)
        // The same block again is one that the other side had not got.
        if last.updateValue(block ?? .receiveReady, forKey: frame.isOfCard) == block { return }
        try add(octets, isChained, frame, &builder)
      }
    }

    init(first: Int64? = nil) { self.first = first }

    private mutating func add(
      _ octets: [UInt8], _ isChained: Bool, _ frame: Frame, _ builder: inout ImportBuilder
    ) throws(TranscriptError) {
      var part = frame.isOfCard ? answer : command
      if !part.isOpen { part = Part(start: frame.start, isOpen: true) }
      guard part.octets.count + octets.count <= Transcript.Exchange.responseCounts.upperBound else {
        throw ImportedLine.fault("a longer chain", "at most 65538 octets", frame.record)
      }
      part.octets += octets
      let whole = part
      if !isChained { part = Part() }
      if frame.isOfCard { answer = part } else { command = part }
      if isChained { return }
      if frame.isOfCard { try respond(whole, frame, &builder) } else { try ask(whole, frame, &builder) }
    }

    private mutating func ask(
      _ part: Part, _ frame: Frame, _ builder: inout ImportBuilder
    ) throws(TranscriptError) {
      guard !part.octets.isEmpty else { return }
      answer = Part()
      isLost = false
      try builder.command(part.octets, frame.record)
      first = first ?? part.start
      commandEnd = frame.end
      builder.amendCommand(.directive(.instant, String(ProxmarkTrace.nanoseconds(part.start - (first ?? 0)))))
    }

    private mutating func respond(
      _ part: Part, _ frame: Frame, _ builder: inout ImportBuilder
    ) throws(TranscriptError) {
      guard !isLost else { return }
      try builder.answer(
        part.octets, frame.record, after: ProxmarkTrace.nanoseconds(part.start - commandEnd))
    }

    private mutating func lose(_ frame: Frame, _ builder: inout ImportBuilder) {
      guard !isLost else { return }
      isLost = true
      builder.torn("a frame of the answer, \(frame.octets.count) octets, has a wrong checksum", frame.record)
    }

  }

  /// Periods of 13.56 MHz in nanoseconds. The longest input, 64 MiB of records whose clock jumps by 2^31 each, has
  /// less than 2^54 periods: in parts, or the product would overflow.
  private static func nanoseconds(_ periods: Int64) -> Int64 { periods / 339 * 25_000 + periods % 339 * 25_000 / 339 }
}

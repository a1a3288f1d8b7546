internal import Octets

extension RecordingFormat {
  /// A Proxmark's binary trace of ISO/IEC 14443 frames.
  public static let proxmarkTrace = RecordingFormat(
    name: "proxmark", title: "Proxmark trace", recognisesOctets: ProxmarkTrace.recognises, read: ProxmarkTrace.read)
}

/// Reads records of a u32 start, a u16 duration and a u16 length, little endian, then the frame and a parity bit per
/// byte. Times are in periods of 13.56 MHz. Bit 15 of the length marks frames of the card.
enum ProxmarkTrace {
  /// A frame on the air.
  struct Frame {
    /// The number of the record, or of the line in a text.
    let record: Int
    let isOfCard: Bool
    let octets: ArraySlice<UInt8>
    /// Periods since the trace's first frame.
    let start: Int64
    let end: Int64
  }

  private static let headerCount = 8

  /// Returns whether bytes look like a trace: they are not text, and the first eight records are well-formed.
  @Sendable
  static func recognises(_ octets: [UInt8]) -> Bool {
    guard octets.count >= headerCount, octets.prefix(4096).contains(where: { $0 < 0x09 }) else { return false }
    var reader = RecordReader(octets: octets)
    for _ in 0..<8 {
      guard let frame = try? reader.next() else { return reader.isAtEnd && reader.record > 0 }
      if !(1...RecordReader.maximumFrame).contains(frame.octets.count) { return false }
    }
    return true
  }

  /// Reads a trace. Frames with a wrong checksum are ignored. An exchange whose response misses a frame is torn.
  @Sendable
  static func read(_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents {
    var builder = TranscriptBuilder()
    var reader = RecordReader(octets: octets)
    var assembly = Assembly()
    while let frame = try reader.next() { try assembly.take(frame, &builder) }
    return builder.contents
  }

  private struct RecordReader {
    // The longest frame of ISO/IEC 14443-4:2018 has 4096 bytes.
    static let maximumFrame = 4096

    let octets: [UInt8]
    private(set) var record = 0
    private var offset = 0
    private var last: UInt32?
    private var clock: Int64 = 0

    init(octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { offset == octets.count }

    /// Reads the next record; nil at the end.
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
      return Frame(record: record, isOfCard: length & 0x8000 != 0, octets: frame, start: clock, end: clock + periods)
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

  /// Puts blocks together (ISO/IEC 14443-4:2018, 7.5).
  struct Assembly {
    private struct Part {
      var octets: [UInt8] = []
      var start: Int64 = 0
      var isOpen = false
    }

    private var command = Part()
    private var response = Part()
    private var last: [Bool: TransmissionBlock] = [:]
    private var expectsAnswerToSelect = false
    private var isLost = false
    private var commandEnd: Int64 = 0
    private var first: Int64?

    mutating func take(_ frame: Frame, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
      guard FrameChecksum.isRight(frame.octets) else {
        // The sniffer missed a part of a block that the card sent.
        if frame.isOfCard, builder.isWaiting, frame.octets.count > 3, frame.octets.first.map({ $0 & 0xE2 }) == 0x02 {
          lose(frame, &builder)
        }
        return
      }
      let body = frame.octets.dropLast(2)
      if !frame.isOfCard, body.count == 2, body.first == 0xE0 {
        // RATS begins a new activation, and block numbers start again.
        self = Assembly(first: first)
        expectsAnswerToSelect = true
      } else if frame.isOfCard, expectsAnswerToSelect {
        builder.comment("ATS: \(Array(body).hex)")
        expectsAnswerToSelect = false
      } else if case .information(_, let isChained, let octets)? = TransmissionBlock(body) {
        let block = TransmissionBlock(body)
        // The same block twice is a repetition.
        if last.updateValue(block ?? .receiveReady, forKey: frame.isOfCard) == block { return }
        try add(octets, isChained, frame, &builder)
      }
    }

    init(first: Int64? = nil) { self.first = first }

    private mutating func add(
      _ octets: [UInt8], _ isChained: Bool, _ frame: Frame, _ builder: inout TranscriptBuilder
    ) throws(TranscriptError) {
      var part = frame.isOfCard ? response : command
      if !part.isOpen { part = Part(start: frame.start, isOpen: true) }
      guard part.octets.count + octets.count <= Transcript.Exchange.responseCounts.upperBound else {
        throw TranscriptError(
          .unexpected(found: "a longer chain", expected: "at most 65538 bytes"), line: frame.record)
      }
      part.octets += octets
      let whole = part
      if !isChained { part = Part() }
      if frame.isOfCard { response = part } else { command = part }
      if isChained { return }
      if frame.isOfCard { try respond(whole, frame, &builder) } else { try ask(whole, frame, &builder) }
    }

    private mutating func ask(
      _ part: Part, _ frame: Frame, _ builder: inout TranscriptBuilder
    ) throws(TranscriptError) {
      guard !part.octets.isEmpty else { return }
      response = Part()
      isLost = false
      try builder.command(part.octets, line: frame.record)
      first = first ?? part.start
      commandEnd = frame.end
      builder.commandDirective(.instant, String(ProxmarkTrace.nanoseconds(part.start - (first ?? 0))))
    }

    private mutating func respond(
      _ part: Part, _ frame: Frame, _ builder: inout TranscriptBuilder
    ) throws(TranscriptError) {
      guard !isLost else { return }
      try builder.loggedResponse(
        part.octets, line: frame.record, after: ProxmarkTrace.nanoseconds(part.start - commandEnd))
    }

    private mutating func lose(_ frame: Frame, _ builder: inout TranscriptBuilder) {
      guard !isLost else { return }
      isLost = true
      builder.tear("a frame of the response, \(frame.octets.count.bytes), has a wrong checksum", line: frame.record)
    }
  }

  /// Converts periods of 13.56 MHz to nanoseconds. The longest input, 64 MiB of records whose clock advances by 2^31
  /// each, has less than 2^54 periods. Whole and rest are converted apart because the product would overflow.
  private static func nanoseconds(_ periods: Int64) -> Int64 { periods / 339 * 25_000 + periods % 339 * 25_000 / 339 }
}

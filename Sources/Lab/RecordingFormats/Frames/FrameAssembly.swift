internal import ISO7816
internal import Octets
internal import Transcripts

/// A frame of ISO/IEC 14443 on the air, with its checksum.
struct ImportedFrame {
  /// The longest frame of ISO/IEC 14443-4:2018, in bytes.
  static let maximumCount = 4096

  /// The number of the record, or of the line in a text.
  let record: Int
  let isOfCard: Bool
  let octets: ArraySlice<UInt8>
  /// Units of the format since the first frame.
  let start: Int64
  let end: Int64
}

/// Puts blocks together (ISO/IEC 14443-4:2018, 7.5).
struct FrameAssembly {
  private struct Part {
    var octets: [UInt8] = []
    var start: Int64 = 0
    var isOpen = false
  }

  /// Converts the times of the frames, which are counted in units of the format, to nanoseconds.
  private let nanoseconds: @Sendable (Int64) -> Int64
  private var command = Part()
  private var response = Part()
  private var last: [Bool: TransmissionBlock] = [:]
  private var expectsAnswerToSelect = false
  private var isLost = false
  private var commandEnd: Int64 = 0
  private var first: Int64?

  init(nanoseconds: @escaping @Sendable (Int64) -> Int64, first: Int64? = nil) {
    (self.nanoseconds, self.first) = (nanoseconds, first)
  }

  mutating func take(_ frame: ImportedFrame, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard FrameChecksum.isRight(frame.octets) else {
      // The sniffer missed a part of a block that the card sent.
      if frame.isOfCard, builder.isWaiting, frame.octets.count > 3, frame.octets.first.map({ $0 & 0xE2 }) == 0x02 {
        lose(frame, &builder)
      }
      return
    }
    let body = frame.octets.dropLast(2)
    if !frame.isOfCard, body.count == 2, body.first == 0xE0 {
      self = restarted()
      expectsAnswerToSelect = true
    } else if frame.isOfCard, expectsAnswerToSelect {
      builder.comment("ATS: \(Array(body).hex)")
      expectsAnswerToSelect = false
    } else if case .information(_, let isChained, let octets)? = TransmissionBlock(body) {
      let block = TransmissionBlock(body)
      // The same block twice is a repetition when no block of the other side lies between (ISO/IEC 14443-4:2018, 7.5):
      // some programs write the same block number in every frame.
      if last.updateValue(block ?? .receiveReady, forKey: frame.isOfCard) == block { return }
      last[!frame.isOfCard] = nil
      try add(octets, isChained, frame, &builder)
    }
  }

  /// Returns an assembly for a new activation (RATS, or a new field): block numbers start again.
  func restarted() -> FrameAssembly { FrameAssembly(nanoseconds: nanoseconds, first: first) }

  private mutating func add(
    _ octets: [UInt8], _ isChained: Bool, _ frame: ImportedFrame, _ builder: inout TranscriptBuilder
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
    _ part: Part, _ frame: ImportedFrame, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard !part.octets.isEmpty else { return }
    response = Part()
    isLost = false
    try builder.command(part.octets, line: frame.record)
    first = first ?? part.start
    commandEnd = frame.end
    builder.commandDirective(.instant, String(max(0, nanoseconds(part.start - (first ?? 0)))))
  }

  private mutating func respond(
    _ part: Part, _ frame: ImportedFrame, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard !isLost else { return }
    try builder.loggedResponse(
      part.octets, line: frame.record, after: nanoseconds(part.start - commandEnd))
  }

  private mutating func lose(_ frame: ImportedFrame, _ builder: inout TranscriptBuilder) {
    guard !isLost else { return }
    isLost = true
    builder.tear("a frame of the response, \(frame.octets.count.bytes), has a wrong checksum", line: frame.record)
  }
}

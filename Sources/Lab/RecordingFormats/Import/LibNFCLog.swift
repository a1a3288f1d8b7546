internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// libnfc's standard error at `LIBNFC_LOG_LEVEL=3`: frames of a PN53x chip, as initiator or as target.
  public static let libnfcLog = RecordingFormat(name: "libnfc", title: "libnfc log", reader: LibNFCLog.self) {
    $0.place != .leadingComment && $0.text.contains("\tlibnfc.")
  }
}

/// Reads the bytes that libnfc sends to a PN53x chip and receives from it, in pieces.
///
/// Frames are those of the PN532 User Manual (UM0701-02), 6.2.1, bare or inside commands to an ACR122 reader.
private struct LibNFCLog: LogReader {
  private var received: [UInt8] = []
  private var parts: [UInt8] = []
  private var frameCount = 0
  private var isWrapped = false

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard line.contains("libnfc.") else { return }
    if let text = Self.octets(line, "\tTX: ") {
      var sent = try [UInt8](hex: text, line: number)
      received = []
      isWrapped = false
      if let frame = Self.wrappedCommand(sent) {
        isWrapped = true
        return try take(frame, number, &builder)
      }
      while let frame = Self.nextFrame(&sent) { try take(frame, number, &builder) }
    } else if let text = Self.octets(line, "\tRX: ") {
      let octets = try [UInt8](hex: text, line: number)
      if isWrapped {
        if let frame = Self.wrappedAnswer(octets) { try take(frame, number, &builder) }
        return
      }
      received += octets
      while let frame = Self.nextFrame(&received) { try take(frame, number, &builder) }
      // A frame has at most 264 bytes of data. Anything longer cannot become a frame.
      received = received.suffix(Self.maximumFrame)
    }
  }

  mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if frameCount == 0 {
      builder.note("no frame of a PN53x chip was found: LIBNFC_LOG_LEVEL=3 logs them", line: number)
    }
  }

  private static let maximumFrame = 300

  private static func octets(_ line: String, _ mark: String) -> Substring? {
    line.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
  }

  /// Takes APDUs out of the chip's commands and responses: InDataExchange, TgGetData, TgSetData, TgSetMetaData.
  private mutating func take(
    _ frame: [UInt8], _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    frameCount += 1
    switch (frame[0], frame[1]) {
    case (0xD4, 0x40) where frame.count > 3:
      if try gathered(frame.dropFirst(3), isMore: frame[2] & 0x40 != 0, number) {
        try builder.command(flush(), line: number)
      }
    case (0xD5, 0x41) where frame.count > 2:
      guard frame[2] & 0x3F == 0 else {
        parts = []
        return builder.tear("the chip reported error \([frame[2] & 0x3F].hex)", line: number)
      }
      // The chip confirms each piece but the last of a long command without data.
      guard frame.count > 3 || frame[2] & 0x40 != 0 || builder.isWaiting else { return }
      if try gathered(frame.dropFirst(3), isMore: frame[2] & 0x40 != 0, number) {
        try builder.loggedResponse(flush(), line: number)
      }
    case (0xD5, 0x87) where frame.count > 3 && frame[2] & 0x3F == 0:
      if try gathered(frame.dropFirst(3), isMore: frame[2] & 0x40 != 0, number) {
        try builder.command(flush(), line: number)
      }
    case (0xD4, 0x94): _ = try gathered(frame.dropFirst(2), isMore: true, number)
    case (0xD4, 0x8E):
      _ = try gathered(frame.dropFirst(2), isMore: false, number)
      try builder.loggedResponse(flush(), line: number)
    default: break
    }
  }

  /// Returns the chip's command inside `FF 00 00 00 Lc` (API of the ACR122U 2.04, 5.3, direct transmit), or nil.
  private static func wrappedCommand(_ octets: [UInt8]) -> [UInt8]? {
    let body = withoutUSBHeader(octets, kinds: [0x6F, 0x6B])
    guard body.starts(with: [0xFF, 0, 0, 0]), body.count >= 7, Int(body[4]) == body.count - 5, body[5] == 0xD4 else {
      return nil
    }
    return Array(body[5...])
  }

  /// Returns the chip's response without the status word that the reader adds, or nil.
  private static func wrappedAnswer(_ octets: [UInt8]) -> [UInt8]? {
    let body = withoutUSBHeader(octets, kinds: [0x80, 0x83])
    guard body.count >= 4, body[0] == 0xD5, body.suffix(2) == [0x90, 0x00] else { return nil }
    return body.dropLast(2)
  }

  /// Returns the bytes after the header of a USB message, ten bytes with a type and a length (CCID 1.1, 6.1, 6.2).
  /// Bytes without such a header are returned as they are.
  private static func withoutUSBHeader(_ octets: [UInt8], kinds: Set<UInt8>) -> [UInt8] {
    guard octets.count > 10, kinds.contains(octets[0]), Int(octets[1]) | Int(octets[2]) << 8 == octets.count - 10
    else { return octets }
    return Array(octets[10...])
  }

  private mutating func gathered(
    _ octets: ArraySlice<UInt8>, isMore: Bool, _ number: Int
  ) throws(TranscriptError) -> Bool {
    let limits = Transcript.Exchange.responseCounts
    guard parts.count + octets.count <= limits.upperBound else {
      throw TranscriptError(.responseLength(parts.count + octets.count, limits: limits), line: number)
    }
    parts += octets
    return !isMore
  }

  private mutating func flush() -> [UInt8] {
    defer { parts = [] }
    return parts
  }

  /// Removes the next frame with valid checksums and at least direction and command from bytes, or returns nil.
  private static func nextFrame(_ octets: inout [UInt8]) -> [UInt8]? {
    var index = 0
    while index + 5 <= octets.count {
      guard octets[index] == 0, octets[index + 1] == 0, octets[index + 2] == 0xFF else {
        index += 1
        continue
      }
      let isExtended = octets[index + 3] == 0xFF && octets[index + 4] == 0xFF
      let start = index + (isExtended ? 8 : 5)
      guard start <= octets.count else { return nil }
      let lengths = isExtended ? octets[(index + 5)..<start] : octets[(index + 3)..<start]
      let count = isExtended ? Int(octets[index + 5]) << 8 + Int(octets[index + 6]) : Int(octets[index + 3])
      guard lengths.reduce(0, &+) == 0, count >= 2 else {
        index += 1
        continue
      }
      guard start + count < octets.count else { return nil }
      let frame = octets[start..<start + count]
      if frame.reduce(octets[start + count], &+) == 0 {
        let found = Array(frame)
        octets.removeFirst(start + count + 1)
        return found
      }
      index += 1
    }
    return nil
  }
}

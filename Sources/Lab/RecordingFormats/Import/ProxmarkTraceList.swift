internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// The text of a Proxmark's `trace list` and `hf 14a list`, with any of their options: rows of start, end, `Rdr` or `Tag`,
  /// bytes, checksum and annotation between `|`. A row without a source continues the one before it.
  public static let proxmarkText = RecordingFormat(
    name: "proxmark-list", title: "Proxmark trace list", reader: ProxmarkTraceList.self
  ) { line in
    let columns = line.text.split(separator: "|", omittingEmptySubsequences: false)
    return columns.count >= 5 && ["Src", "Rdr", "Tag"].contains(columns[2].trimmed)
  }
}

/// Reads rows and puts the frames together as those of a binary trace. Times are in periods of 13.56 MHz, with `-u` in
/// microseconds, and with `-r` counted from the end of the row before. Rows of `-t 7816` have no blocks around the APDU.
private struct ProxmarkTraceList: LogReader {
  private struct Row {
    let start: Int64
    let end: Int64
    let isOfCard: Bool
    let line: Int
    var octets: [UInt8]
  }

  /// A row has at most this many periods, an hour. Longer ones come from a damaged line.
  private static let maximumTime: Int64 = 48_816_000_000

  /// The clock of a list with relative times stops here, after ten years: times in nanoseconds still have 64 bits.
  private static let maximumClock: Int64 = 1 << 52

  private var assembly = FrameAssembly(nanoseconds: ProxmarkTrace.nanoseconds)
  private var row: Row?
  private var isRelative = false
  private var isMicroseconds = false
  private var isContact = false
  private var end: Int64 = 0
  private var sent: Int64 = 0
  private var first: Int64?

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false)
    guard columns.count >= 4 else { return heading(line, &builder) }
    let source = columns[2].trimmed
    if source == "Src" {
      isRelative = columns[0].trimmed == "Gap"
      return
    }
    if source.isEmpty, columns[0].trimmed.isEmpty {
      // A row without bytes states a CRC or an annotation.
      row?.octets += (try? Self.octets(columns[3], number)) ?? []
      return try check(number)
    }
    guard ["Rdr", "Tag"].contains(source) else { return }
    try flush(&builder)
    guard let one = Int64(columns[0].trimmed), let other = Int64(columns[1].trimmed),
      (0...Self.maximumTime).contains(one), (0...Self.maximumTime).contains(other), isRelative || other >= one
    else {
      throw TranscriptError(quoting: line, expected: "start and end of the frame in periods of 13.56 MHz", line: number)
    }
    let start = isRelative ? min(end + one, Self.maximumClock) : one
    end = isRelative ? min(start + other, Self.maximumClock) : other
    // A frame of fewer than eight bits, such as 52(7), is no block.
    if columns[3].contains("(") { return }
    row = Row(
      start: start, end: end, isOfCard: source == "Tag", line: number, octets: try Self.octets(columns[3], number))
    try check(number)
  }

  mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    try flush(&builder)
  }

  /// The lines before the rows state the unit of the times and the protocol.
  private mutating func heading(_ line: String, _ builder: inout TranscriptBuilder) {
    builder.otherLineCount += 1
    if line.contains("all times are in microseconds") || line.contains("(us)") { isMicroseconds = true }
    if line.contains("7816") { isContact = true }
  }

  private mutating func flush(_ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let row else { return }
    self.row = nil
    if isContact { return try takeAPDU(row, &builder) }
    let frame = ImportedFrame(
      record: row.line, isOfCard: row.isOfCard, octets: row.octets[...], start: periods(row.start),
      end: periods(row.end))
    try assembly.take(frame, &builder)
  }

  /// 13.56 periods in a microsecond.
  private func periods(_ time: Int64) -> Int64 {
    isMicroseconds ? time * 1356 / 100 : time
  }

  /// A row of a contact card is a command or a response.
  private mutating func takeAPDU(_ row: Row, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    if row.isOfCard {
      let time = isMicroseconds ? (row.start - sent) * 1000 : ProxmarkTrace.nanoseconds(row.start - sent)
      return try builder.loggedResponse(row.octets, line: row.line, after: time)
    }
    guard !row.octets.isEmpty else { return }
    try builder.command(row.octets, line: row.line)
    first = first ?? row.start
    sent = row.end
  }

  private func check(_ number: Int) throws(TranscriptError) {
    guard let row, row.octets.count > ImportedFrame.maximumCount else { return }
    throw TranscriptError(
      .unexpected(found: "a frame of \(row.octets.count.bytes)", expected: "at most \(ImportedFrame.maximumCount)"),
      line: number)
  }

  /// The bytes of a cell: `!` marks a parity error, brackets the checksum.
  private static func octets(_ cell: Substring, _ number: Int) throws(TranscriptError) -> [UInt8] {
    try [UInt8](hex: cell.filter { !"![]".contains($0) }[...], line: number)
  }
}

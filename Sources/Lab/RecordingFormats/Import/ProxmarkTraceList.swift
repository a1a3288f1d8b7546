internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// The text of a Proxmark's `trace list` and `hf 14a list`: rows of start, end, `Rdr` or `Tag`, bytes, checksum and
  /// annotation between `|`. A row without a source continues the one before it.
  public static let proxmarkText = RecordingFormat(
    name: "proxmark-list", title: "Proxmark trace list", reader: ProxmarkTraceList.self
  ) { line in
    let columns = line.text.split(separator: "|", omittingEmptySubsequences: false)
    return columns.count >= 5 && ["Src", "Rdr", "Tag"].contains(columns[2].trimmed)
  }
}

/// Reads rows and puts the frames together as those of a binary trace. Times are in periods of 13.56 MHz.
private struct ProxmarkTraceList: LogReader {
  private struct Row {
    let start: Int64
    let end: Int64
    let isOfCard: Bool
    let line: Int
    var octets: [UInt8]
  }

  private var assembly = FrameAssembly(nanoseconds: ProxmarkTrace.nanoseconds)
  private var row: Row?

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false)
    guard columns.count >= 5 else { return }
    let source = columns[2].trimmed
    if source.isEmpty, columns[0].trimmed.isEmpty {
      row?.octets += try Self.octets(columns[3], number)
      try check(number)
      return
    }
    guard ["Rdr", "Tag"].contains(source) else { return }
    try flush(&builder)
    guard let start = Int64(columns[0].trimmed), let end = Int64(columns[1].trimmed), start >= 0, end >= start else {
      throw TranscriptError(quoting: line, expected: "start and end of the frame in periods of 13.56 MHz", line: number)
    }
    // A frame of fewer than eight bits, such as 52(7), is no block.
    if columns[3].contains("(") { return }
    row = Row(
      start: start, end: end, isOfCard: source == "Tag", line: number, octets: try Self.octets(columns[3], number))
    try check(number)
  }

  mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    try flush(&builder)
  }

  private mutating func flush(_ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let row else { return }
    self.row = nil
    let frame = ImportedFrame(
      record: row.line, isOfCard: row.isOfCard, octets: row.octets[...], start: row.start, end: row.end)
    try assembly.take(frame, &builder)
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

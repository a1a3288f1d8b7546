internal import ISO7816
internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// The output of GlobalPlatformPro and apdu4j with `-d`, as people paste it: `A>> T=1 (4+0008) <hex>` with the lengths of
  /// header and data, `A<< (0018+2) (26ms) <hex>` with those of data and status word, and `SCardConnect(…) -> T=1, <ATR>`.
  public static let globalPlatformLog = RecordingFormat(
    name: "gp", title: "GlobalPlatformPro log", reader: GlobalPlatformLog.self
  ) { line in
    let text = line.text[...].withoutMargin
    return ["A>> T=", "A<< (", "SCardConnect(\""].contains { text.begins(with: $0) }
  }
}

/// Reads the lines of the channel. The lines of the program around them are ignored.
private struct GlobalPlatformLog: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    let text = line[...].withoutMargin
    if let rest = text.after("A>>") {
      try command(rest, number, &builder)
    } else if let rest = text.after("A<<") {
      try response(rest, number, &builder)
    } else if text.begins(with: "SCardConnect(\""), let result = text.split(separator: ") -> ").last {
      connection(result, &builder)
    }
  }

  /// Reads ` T=1 (4+0008) 00A40400 08 …`.
  private func command(
    _ text: Substring, _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    let (groups, digits) = Self.parts(text)
    let octets = try [UInt8](hex: digits, line: number)
    try builder.command(octets, line: number)
    let count = (try? CommandAPDU(parsing: octets.span))?.data.count
    Self.compare(count, groups.first, "command data", number, &builder)
  }

  /// Reads ` (0018+2) (26ms) … 9000`.
  private func response(
    _ text: Substring, _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    let (groups, digits) = Self.parts(text)
    let octets = try [UInt8](hex: digits, line: number)
    Self.compare(max(octets.count - 2, 0), groups.first?.split(separator: "+").first, "response data", number, &builder)
    let time = groups.dropFirst().first.flatMap { $0.hasSuffix("ms") ? Int64($0.dropLast(2)) : nil }
    // An hour; a longer time is not one of a card.
    let nanoseconds = time.flatMap { (0...3_600_000).contains($0) ? $0 * 1_000_000 : nil }
    try builder.loggedResponse(octets, line: number, after: nanoseconds)
  }

  /// Reads `T=1, 3B80800101`.
  private func connection(_ text: Substring, _ builder: inout TranscriptBuilder) {
    let parts = text.split(separator: ", ", maxSplits: 1)
    guard parts.count == 2, let reset = try? [UInt8](hex: parts[1].trimmed) else { return }
    builder.header("ATR", reset.hex)
    builder.header("PROTOCOL", String(parts[0]))
  }

  /// The texts in parentheses, and what follows the last one.
  private static func parts(_ text: Substring) -> (groups: [Substring], digits: Substring) {
    let pieces = text.split(separator: ")", omittingEmptySubsequences: false)
    let groups = pieces.dropLast().compactMap { $0.split(separator: "(").last }
    return (groups, pieces.last ?? "")
  }

  /// Notes a length that is not the stated one: pasted lines are cut or edited.
  private static func compare(
    _ count: Int?, _ stated: Substring?, _ what: String, _ number: Int, _ builder: inout TranscriptBuilder
  ) {
    guard let count, let stated, let expected = Int(stated.split(separator: "+").last ?? ""), count != expected
    else { return }
    builder.note("\(count.bytes) of \(what), where the log states \(expected)", line: number)
  }
}

extension Substring {
  /// The line without the `#` that newer versions print before it, and without the `>` of a quotation in an issue.
  fileprivate var withoutMargin: Substring { drop { "#> \t".contains($0) } }
}

internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// cardpeek's log: `C:<command>:<SW>:<response>` and `R:<answer to reset>`.
  public static let cardpeekLog = RecordingFormat(name: "cardpeek", title: "cardpeek log", reader: CardpeekLog.self) {
    line in
    line.place == .leadingComment
      ? line.text.begins(with: "# cardpeek")
      : ["C:", "R:"].contains { mark in
        line.text.after(mark).map { $0.count > 1 && $0.prefix(2).allSatisfy(\.isHexDigit) } ?? false
      }
  }
}

/// Reads `C:<command>:<SW, four digits>:<response>` and `R:<answer to reset>`.
private struct CardpeekLog: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if line.begins(with: "#") { return }
    let fields = line.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 2, fields[0] == "R" {
      return builder.header("ATR", try [UInt8](hex: fields[1], line: number).hex)
    }
    guard fields.count == 4, fields[0] == "C" else {
      throw TranscriptError(quoting: line, expected: "C:command:SW:response or R:answer to reset", line: number)
    }
    let status = try [UInt8](hex: fields[2], line: number)
    guard status.count == 2 else {
      throw TranscriptError(quoting: String(fields[2]), expected: "a status word", line: number)
    }
    try builder.command(try [UInt8](hex: fields[1], line: number), line: number)
    try builder.response(try [UInt8](hex: fields[3], line: number) + status, line: number)
  }
}

internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// The log of `pcscd -a`: `00000237 APDU: <hex>` and `00000041 SW: <hex>`.
  public static let pcscdLog = RecordingFormat(name: "pcscd", title: "pcscd log", reader: PCSCDLog.self) {
    PCSCDLog.isLine($0.text)
  }
}

/// Reads lines that begin with the microseconds since the line before. With `-d` a thread in brackets follows.
private struct PCSCDLog: LogReader {
  private var clock: Int64 = 0
  private var start: Int64?
  private var sent: Int64 = 0

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let (microseconds, text) = Self.parts(line) else { return }
    clock += microseconds
    if let octets = text.after("APDU:") {
      let command = try [UInt8](hex: octets, line: number)
      start = start ?? clock
      sent = clock
      // The note belongs to the command before, so it is added before this command.
      if builder.isWaiting { builder.tear("pcscd logged no response", line: number) }
      let at = String((clock - (start ?? clock)) * 1000)
      try builder.command(command, line: number)
      builder.commandDirective(.instant, at)
    } else if let octets = text.after("SW:") {
      try builder.loggedResponse(try [UInt8](hex: octets, line: number), line: number, after: (clock - sent) * 1000)
    } else if let octets = text.after("Card ATR:") {
      builder.header("ATR", try [UInt8](hex: octets, line: number).hex)
    } else if let name = text.split(separator: "Attempting PTS to ", maxSplits: 1).dropFirst().first {
      builder.header("PROTOCOL", String(name))
    }
  }

  /// Returns whether pcscd writes such a line.
  static func isLine(_ line: String) -> Bool {
    guard let text = parts(line)?.text else { return false }
    return ["APDU:", "SW:", "Card ATR:"].contains { text.begins(with: $0) }
      || text.prefix { $0 != " " }.contains(".c:")
  }

  // All versions write eight digits, so the sum over the most lines does not overflow. A thread in brackets is ignored.
  private static func parts(_ line: String) -> (microseconds: Int64, text: Substring)? {
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == 8, let microseconds = Int64(digits), line.dropFirst(8).first == " " else { return nil }
    var text = line.dropFirst(9)
    if text.first == "[", let end = text.firstIndex(of: "]") { text = text[end...].dropFirst(2) }
    return (microseconds, text)
  }
}

internal import Octets

/// The log of `pcscd -a`. Each line begins with the microseconds since the line before; with `-d` a thread follows.
struct PCSCDLog: LogReader {
  private var clock: Int64 = 0
  private var start: Int64?
  private var sent: Int64 = 0

  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    guard let (microseconds, text) = Self.parts(line) else { return }
    clock += microseconds
    if let octets = text.after("APDU:") {
      let command = try ImportedLine.octets(octets, number)
      start = start ?? clock
      sent = clock
      // Before it comes, a command that nobody answered is closed; its notes must not mix with this one's.
      if builder.isWaiting { builder.torn("pcscd logged no answer", number) }
      let at = String((clock - (start ?? clock)) * 1000)
      try builder.command(command, number)
      builder.amendCommand(.directive(.instant, at))
    } else if let octets = text.after("SW:") {
      try builder.answer(try ImportedLine.octets(octets, number), number, after: (clock - sent) * 1000)
    } else if let octets = text.after("Card ATR:") {
      builder.header("ATR", try ImportedLine.octets(octets, number).hex)
    } else if let name = text.split(separator: "Attempting PTS to ", maxSplits: 1).dropFirst().first {
      builder.header("PROTOCOL", String(name))
    }
  }

  /// Whether a line is one of pcscd's.
  static func isLine(_ line: String) -> Bool {
    guard let text = parts(line)?.text else { return false }
    return ["APDU:", "SW:", "Card ATR:"].contains { text.hasPrefix($0) }
      || text.prefix { $0 != " " }.contains(".c:")
  }

  // Eight digits in all versions, and so no overflow with the most lines; a thread in brackets is passed over.
  private static func parts(_ line: String) -> (microseconds: Int64, text: Substring)? {
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    guard digits.count == 8, let microseconds = Int64(digits), line.dropFirst(8).first == " " else { return nil }
    var text = line.dropFirst(9)
    if text.first == "[", let end = text.firstIndex(of: "]") { text = text[end...].dropFirst(2) }
    return (microseconds, text)
  }
}

extension Substring {
  /// What follows a prefix, or nil without it.
  func after(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

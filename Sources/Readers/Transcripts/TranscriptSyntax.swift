/// How recordings of others are written. `ImportedTranscript` reads all of them.
public enum TranscriptSyntax: String, CaseIterable, Sendable {
  /// This project's own text, and the dump of apdu4j: see `Transcript`.
  case dump = "dump"
  /// Hexadecimal lines, command and response in turn; a command may be without an answer (emv-bertlv).
  case bareLines = "bare lines"
  /// `send: <hex>` and `resp: <hex>`; an empty `send:` stands for any command (EMV-NFC-Paycard-Enrollment).
  case sendAndResponse = "send/resp script"
  /// A YAML list of `req: '<hex>'` and `res: '<hex>'` (emvpt, emv-card-simulator).
  case requestList = "req/res list"
  /// `>> <hex>` and `<< <hex> (1.23ms)`: the log of apdu4j.
  case arrows = "log of >> and <<"

  /// What a text is most likely written in: the first line that is neither blank nor a comment decides; directives
  /// and header lines of a dump do so too. Total: any text is guessed to be something.
  public static func guess(_ text: String) -> TranscriptSyntax {
    var hasComments = false
    for octets in text.utf8.split(separator: 0x0A).prefix(Transcript.maximumLineCount) {
      let line = Substring(octets.prefix(Self.guessedLength)).importedLine
      if line.isEmpty { continue }
      if line.hasPrefix("#") {
        if isOfDump(line) { return .dump }
        hasComments = true
      } else {
        return markers.first { line.hasPrefix($0.prefix) }?.syntax ?? (hasComments ? .dump : .bareLines)
      }
    }
    return .dump
  }

  // Enough of a line to know it by.
  private static let guessedLength = 200

  private static let markers: [(prefix: String, syntax: TranscriptSyntax)] = [
    ("send:", .sendAndResponse), ("resp:", .sendAndResponse), ("- req:", .requestList), ("req:", .requestList),
    ("res:", .requestList), (">>", .arrows), ("<<", .arrows),
  ]

  private static func isOfDump(_ line: String) -> Bool {
    line.hasPrefix("#@") || ["ATR:", "PROTOCOL:", "UID:"].contains { line.dropFirst().trimmed.hasPrefix($0) }
  }
}

extension Substring {
  /// The line without the byte order mark and white space around it.
  var importedLine: String { (first == "\u{FEFF}" ? dropFirst() : self).trimmed }
}

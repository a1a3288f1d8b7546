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
  /// The log of `pcscd -a`: `00000237 APDU: <hex>` and `00000041 SW: <hex>`, microseconds since the line before.
  case pcscdLog = "pcscd log"
  /// What libpcscspy writes, or what pcsc-spy makes of it (pcsc-tools' reader of it).
  case pcscSpyLog = "pcsc-spy log"
  /// libnfc's standard error at `LIBNFC_LOG_LEVEL=3`: frames of a PN53x chip, in either role.
  case libnfcLog = "libnfc log"
  /// A Proxmark's binary trace of ISO/IEC 14443 frames.
  case proxmarkTrace = "Proxmark trace"
  /// JSON with `exchanges` of `capdu` and `rapdu`, made of a Proxmark trace.
  case proxmarkList = "Proxmark APDU list"
  /// cardpeek's log: `C:<command>:<SW>:<response>` and `R:<answer to reset>`.
  case cardpeekLog = "cardpeek log"
  /// A script for scriptor: `reset`, and commands alone; `# < <hex>` after one is taken for its answer.
  case scriptorScript = "scriptor script"
  /// What scriptor prints: `> <hex>` and `< <hex> : <meaning>`.
  case scriptorOutput = "scriptor output"
  /// What opensc-tool prints: `Sending: <hex>` and `Received (SW1=0x90, SW2=0x00):` with a hexadecimal dump.
  case openscOutput = "opensc-tool output"
  /// What pyscard's `ConsoleCardConnectionObserver` prints: `> <hex>` and `< <hex>` between `connecting to` a reader and
  /// `disconnecting from` it.
  case pyscardOutput = "pyscard output"
  /// A transcript of this project as JSON: see `Transcript.json`.
  case json = "JSON transcript"

  /// What a text is most likely written in: the first line that is neither blank nor a comment decides; directives
  /// and header lines of a dump do so too. Total: any text is guessed to be something.
  public static func guess(_ text: String) -> TranscriptSyntax {
    var (hasComments, count, doubtful) = (false, 0, TranscriptSyntax?.none)
    for octets in text.utf8.split(separator: 0x0A).prefix(Transcript.maximumLineCount) {
      let line = Substring(octets.prefix(Self.guessedLength)).importedLine
      if line.isEmpty { continue }
      if doubtful == nil, line.hasPrefix("#") {
        if isOfDump(line) { return .dump }
        if line.hasPrefix("# scriptor") { return .scriptorScript }
        if line.hasPrefix("# cardpeek") { return .cardpeekLog }
        hasComments = true
        continue
      }
      if let syntax = ofTool(line, in: text) { return syntax }
      let others = hasComments ? TranscriptSyntax.dump : .bareLines
      if doubtful == nil {
        if let marker = markers.first(where: { line.hasPrefix($0.prefix) }) { return marker.syntax }
        if line.allSatisfy({ $0.isHexDigit || $0 == " " }) { return others }
      }
      // The output of the program around it may come before a log's first line.
      doubtful = doubtful ?? others
      count += 1
      if count == Self.searchedLines { break }
    }
    return doubtful ?? .dump
  }

  // Enough of a line to know it by, and enough lines of something else before a log.
  private static let guessedLength = 200
  private static let searchedLines = 100

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

internal import EMVDecoding
internal import Transcripts

extension RecordingFormat {
  /// Any log that names a direction before the bytes of commands and responses, in words or with a sign, whatever else
  /// stands on the lines: those of pcscd, GlobalPlatformPro, opensc-tool, OpenSC, scriptor, pyscard, phones and others.
  public static let log = RecordingFormat(
    name: "log", title: "log",
    read: { (octets) throws(TranscriptError) in
      try AnyLog.read(try LogText.lines(of: octets), acceptsAll: true)
    })

  /// Whether a text holds an exchange that any log may have.
  static func isLog(_ lines: [String]) -> Bool {
    guard let contents = try? AnyLog.read(Array(lines.prefix(AnyLog.searchedLineCount)), acceptsAll: false) else {
      return false
    }
    let complete = contents.transcript.exchanges.filter { $0.response != nil }
    // Bytes of another protocol may look like a command and a response once.
    return complete.count > 2 || complete.contains { InstructionNames.isKnownCommand($0.command) }
  }
}

/// Reads a log twice: what its labels mean follows from all of its lines.
enum AnyLog {
  /// The most lines that are searched for an exchange before a text is taken for something else.
  static let searchedLineCount = 10_000

  static func read(_ lines: [String], acceptsAll: Bool) throws(TranscriptError) -> RecordingContents {
    var scanner = LogScanner()
    for (index, line) in lines.enumerated() { scanner.read(line, index + 1) }
    scanner.close()
    let events = scanner.takeEvents()
    var found = LogLabels()
    for case .item(let item) in events { found.learn(item) }
    if let contents = try FrameLog.read(events), !contents.transcript.exchanges.isEmpty { return contents }
    // A format that the caller names is read although no line proves it.
    let labels = acceptsAll && !found.hasDirections ? found.acceptingAll : found
    var assembly = LogAssembly()
    var builder = TranscriptBuilder()
    if labels.isOfCard { builder.role("card") }
    for event in events { try assembly.take(event, labels, &builder) }
    builder.otherLineCount = assembly.otherLineCount
    return builder.contents
  }
}

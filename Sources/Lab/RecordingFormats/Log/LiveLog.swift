public import Transcripts

/// A log that is read while another program writes it: see `RecordingFormat.log`.
public struct LiveLog {
  private var scanner = LogScanner()
  private var labels = LogLabels()
  private var assembly = LogAssembly()
  private var builder = TranscriptBuilder()
  private var partialLine: [UInt8] = []
  private var lineCount = 0

  /// Creates a log without lines.
  public init() {}

  /// The exchanges so far. The last one may have no response yet.
  public var transcript: Transcript { builder.contents.transcript }

  /// The exchanges that have a response, so far.
  public var completeExchanges: [Transcript.Exchange] { builder.completeExchanges }

  /// What was guessed or left out so far.
  public var notes: [RecordingContents.Note] { builder.notes }
  /// How many exchanges have a response.
  public var completeCount: Int { builder.completeCount }

  /// Reads further bytes of the log.
  ///
  /// - Throws: `TranscriptError` for a line that is too long, and beyond the most exchanges.
  public mutating func append(_ octets: [UInt8]) throws(TranscriptError) {
    var rest = octets[...]
    while let end = rest.firstIndex(of: 0x0A) {
      partialLine += rest[..<end]
      rest = rest[(end + 1)...]
      lineCount += 1
      scanner.read(String(decoding: partialLine, as: UTF8.self).withoutEscapeSequences.withPlainCharacters, lineCount)
      partialLine = []
      try resolve()
    }
    guard partialLine.count + rest.count <= Transcript.maximumLineLength else {
      throw TranscriptError(
        .lineTooLong(count: partialLine.count + rest.count, limit: Transcript.maximumLineLength), line: lineCount + 1)
    }
    partialLine += rest
  }

  /// Takes the last command or response as complete, since no further line comes for now.
  ///
  /// - Throws: `TranscriptError` beyond the most exchanges.
  public mutating func pause() throws(TranscriptError) {
    scanner.closeWhole()
    try resolve()
  }

  /// Reads what stands after the last line end, and takes the last command or response as complete: no further byte comes.
  ///
  /// - Throws: `TranscriptError` beyond the most exchanges.
  public mutating func finish() throws(TranscriptError) {
    if !partialLine.isEmpty { try append([0x0A]) }
    scanner.close()
    try resolve()
  }

  private mutating func resolve() throws(TranscriptError) {
    for event in scanner.takeEvents() {
      if case .item(let item) = event { labels.learn(item) }
      try assembly.take(event, labels, &builder)
    }
  }
}

internal import Octets

extension Transcript {
  /// Reads a transcript, with directives or without.
  ///
  /// - Throws: `TranscriptError` with the line of the first fault.
  public init(parsing text: String) throws(TranscriptError) {
    self = try Transcript(parsing: Array(text.utf8).span)
  }

  /// Reads the bytes of a transcript.
  package init(parsing octets: Span<UInt8>) throws(TranscriptError) {
    var scanner = TranscriptScanner(maximumLineCount: Self.maximumLineCount)
    var reader = TranscriptReader()
    scanner.append(octets)
    scanner.finish()
    while let item = try scanner.next() {
      switch item {
      case .note: reader.append(try scanner.note())
      case .command: try reader.begin(scanner.command, scanner.line)
      case .response: reader.end(scanner.response)
      }
    }
    self = reader.transcript
  }

  /// Returns the lines of a text without white space around them.
  ///
  /// - Throws: `TranscriptError` for a line that is too long and for too many lines.
  package static func lines(of text: String) throws(TranscriptError) -> [String] {
    var lines: [String] = []
    for octets in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let number = lines.count + 1
      guard number <= maximumLineCount else {
        throw TranscriptError(.tooManyLines(limit: maximumLineCount), line: number)
      }
      guard octets.count <= maximumLineLength else {
        throw TranscriptError(.lineTooLong(count: octets.count, limit: maximumLineLength), line: number)
      }
      // A byte order mark at the start of the text is not part of the line.
      lines.append(number == 1 ? Substring(octets).importedLine : Substring(octets).trimmed)
    }
    return lines
  }

  /// The transcript as text, unredacted; `text(redactedBy:)` redacts. Parsing it gives the same transcript.
  public var text: String {
    var lines = notes.map(\.line)
    for exchange in exchanges {
      lines += exchange.notes.map(\.line) + [exchange.command.hex] + exchange.responseNotes.map(\.line)
      if let response = exchange.response { lines.append(response.hex) }
    }
    return (lines + closingNotes.map(\.line)).map { $0 + "\n" }.joined()
  }
}

/// Reads the lines of a transcript one by one.
struct TranscriptReader {
  private var head: [Transcript.Note]?
  private var exchanges: [Transcript.Exchange] = []
  private var pending: [Transcript.Note] = []
  private var open: (notes: [Transcript.Note], command: [UInt8])?

  /// The transcript of the lines so far.
  var transcript: Transcript {
    guard let head else { return Transcript(notes: pending, exchanges: [], closingNotes: []) }
    guard let open else { return Transcript(notes: head, exchanges: exchanges, closingNotes: pending) }
    let end = pending.firstIndex { $0.key == .end } ?? pending.endIndex
    let torn = Transcript.Exchange(
      command: open.command, response: nil, notes: open.notes, responseNotes: Array(pending[..<end]))
    return Transcript(notes: head, exchanges: exchanges + [torn], closingNotes: Array(pending[end...]))
  }

  mutating func read(_ line: String, line number: Int) throws(TranscriptError) {
    guard !line.begins(with: "#") else { return append(try Transcript.Note(line: line, number: number)) }
    let octets = try [UInt8](hex: line[...], line: number)
    if open == nil {
      try Transcript.Exchange.check(commandCount: octets.count, line: number)
      try begin(octets, number)
    } else {
      try Transcript.Exchange.check(responseCount: octets.count, line: number)
      end(octets)
    }
  }

  mutating func append(_ note: Transcript.Note) { pending.append(note) }

  /// Begins an exchange.
  ///
  /// - Throws: `TranscriptError` beyond the most exchanges.
  mutating func begin(_ command: [UInt8], _ number: Int) throws(TranscriptError) {
    guard exchanges.count < Transcript.maximumExchangeCount else {
      throw TranscriptError(.tooManyExchanges(limit: Transcript.maximumExchangeCount), line: number)
    }
    if head == nil { splitHead() }
    open = (pending, command)
    pending = []
  }

  /// Ends the exchange that was begun.
  mutating func end(_ response: [UInt8]) {
    guard let open else { return }
    exchanges.append(
      Transcript.Exchange(command: open.command, response: response, notes: open.notes, responseNotes: pending))
    (self.open, pending) = (nil, [])
  }

  /// Splits the notes before the first command. The head ends with its last header line or directive. Later comments,
  /// and the directives of an exchange, belong to the exchange.
  private mutating func splitHead() {
    let end = pending.lastIndex { $0.isOfHead }.map { $0 + 1 } ?? 0
    head = pending[..<end].filter { !($0.key?.isOfExchange ?? false) }
    pending = pending[..<end].filter { $0.key?.isOfExchange ?? false } + pending[end...]
  }
}

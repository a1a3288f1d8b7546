internal import Octets

extension RecordingFormat {
  /// The text of this project, and the dump of apdu4j: see `Transcript`.
  public static let dump = RecordingFormat(
    name: "dump", title: "dump",
    recognisesLine: { line in
      switch line.place {
      case .leadingComment:
        line.text.hasPrefix("#@")
          || ["ATR:", "PROTOCOL:", "UID:"].contains { line.text.dropFirst().trimmed.hasPrefix($0) }
      case .first: line.followsComments && line.isHexadecimal
      case .later: false
      }
    },
    read: { (octets) throws(TranscriptError) in
      RecordingContents(try Transcript(parsing: String(decoding: octets, as: UTF8.self)))
    }, write: { Array($0.text.utf8) })
}

extension RecordingLine {
  /// Whether the line has nothing but hexadecimal digits and spaces.
  var isHexadecimal: Bool { text.allSatisfy { $0.isHexDigit || $0 == " " } }
}

extension Substring {
  /// The line without a byte order mark and white space around it.
  var importedLine: String { (first == "\u{FEFF}" ? dropFirst() : self).trimmed }
}

extension Transcript {
  /// Reads a transcript, with directives or without.
  ///
  /// - Throws: `TranscriptError` with the line of the first fault.
  public init(parsing text: String) throws(TranscriptError) {
    var reader = TranscriptReader()
    for (index, line) in try Self.lines(of: text).enumerated() { try reader.read(line, line: index + 1) }
    self = reader.transcript
  }

  /// Returns the lines of a text without white space around them.
  ///
  /// - Throws: `TranscriptError` for a line that is too long and for too many lines.
  static func lines(of text: String) throws(TranscriptError) -> [String] {
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
    if line.isEmpty { return }
    guard line.hasPrefix("#") else { return try octets(line, number) }
    let note = line.hasPrefix("#@") ? try Self.directive(line, number) : .comment(String(line.dropFirst()))
    try note.check(line: number)
    pending.append(note)
  }

  private mutating func octets(_ line: String, _ number: Int) throws(TranscriptError) {
    let octets: [UInt8]
    do throws(OctetsError) {
      octets = try [UInt8](hex: line)
    } catch {
      throw TranscriptError(.notOctets(error), line: number)
    }
    if let open {
      guard Transcript.Exchange.responseCounts.contains(octets.count) else {
        throw TranscriptError(.responseLength(octets.count, limits: Transcript.Exchange.responseCounts), line: number)
      }
      exchanges.append(
        Transcript.Exchange(command: open.command, response: octets, notes: open.notes, responseNotes: pending))
      self.open = nil
    } else {
      try begin(octets, number)
    }
    pending = []
  }

  private mutating func begin(_ command: [UInt8], _ number: Int) throws(TranscriptError) {
    guard Transcript.Exchange.commandCounts.contains(command.count) else {
      throw TranscriptError(.commandLength(command.count, limits: Transcript.Exchange.commandCounts), line: number)
    }
    guard exchanges.count < Transcript.maximumExchangeCount else {
      throw TranscriptError(.tooManyExchanges(limit: Transcript.maximumExchangeCount), line: number)
    }
    if head == nil { splitHead() }
    open = (pending, command)
  }

  /// Splits the notes before the first command. The head ends with its last header line or directive. Later comments,
  /// and the directives of an exchange, belong to the exchange.
  private mutating func splitHead() {
    let end = pending.lastIndex { $0.isOfHead }.map { $0 + 1 } ?? 0
    head = pending[..<end].filter { !($0.key?.isOfExchange ?? false) }
    pending = pending[..<end].filter { $0.key?.isOfExchange ?? false } + pending[end...]
  }

  private static func directive(_ line: String, _ number: Int) throws(TranscriptError) -> Transcript.Note {
    let body = line.dropFirst(2)
    guard let colon = body.firstIndex(of: ":"), let key = Transcript.Key(rawValue: body[..<colon].trimmed) else {
      throw TranscriptError(.malformedDirective, line: number)
    }
    return .directive(key, String(body[body.index(after: colon)...]))
  }
}

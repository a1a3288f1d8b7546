internal import Octets
public import Transcripts

/// Puts the commands and responses of a recording together, in the order in which a reader finds them.
///
/// Lines are numbered from 1. Lengths are those of an exchange: 1...65544 bytes for a command, 2...65538 for a
/// response.
public struct TranscriptBuilder {
  private(set) var notes: [RecordingContents.Note] = []
  private var head: [Transcript.Note] = []
  private var exchanges: [Transcript.Exchange] = []
  private var pending: [Transcript.Note] = []
  private var open: (command: [UInt8], notes: [Transcript.Note], lines: ClosedRange<Int>)?
  private var places: [RecordingContents.Place] = []
  private var isWaitingForAnyResponse = false

  /// Creates a builder without exchanges.
  public init() {}

  /// Whether the last command has no response yet.
  public var isWaiting: Bool { open != nil || isWaitingForAnyResponse }

  /// The last command, when it has no response yet.
  var openCommand: [UInt8]? { open?.command }

  /// The exchanges that have a response.
  var completeExchanges: [Transcript.Exchange] { exchanges }
  /// How many exchanges have a response.
  var completeCount: Int { exchanges.count }

  /// What was read so far. A last command without a response makes a torn recording.
  public var contents: RecordingContents {
    let last = open.map { [RecordingContents.Place(command: $0.lines, response: nil)] } ?? []
    return RecordingContents(transcript, notes: notes, places: places + last, otherLineCount: otherLineCount)
  }

  /// The number of lines that are not blank and hold nothing of an exchange.
  public var otherLineCount = 0

  private var transcript: Transcript {
    var exchanges = exchanges
    if let open {
      exchanges.append(
        Transcript.Exchange(command: open.command, response: nil, notes: open.notes, responseNotes: pending))
    }
    if exchanges.isEmpty { return Transcript(notes: head + pending, exchanges: [], closingNotes: []) }
    return Transcript(notes: head, exchanges: exchanges, closingNotes: open == nil ? pending : [])
  }

  /// Adds a comment. The word `was` before it keeps a comment such as `ATR: …` from becoming a header.
  public mutating func comment(_ text: String) {
    let note = Transcript.Note.comment(text)
    if !note.isOfHead {
      pending.append(note)
    } else if !note.text.isEmpty {
      pending.append(.comment("was " + note.text))
    }
  }

  /// Adds a header line, such as `ATR` with hexadecimal digits. The first value of a name counts, others are ignored.
  public mutating func header(_ name: String, _ value: String) {
    guard !head.contains(where: { $0.header(name) != nil }) else { return }
    head.append(.comment("\(name): \(value)"))
  }

  /// States which side recorded: `terminal` or `card`. The first statement counts.
  public mutating func role(_ side: String) {
    guard !head.contains(where: { $0.key == .role }) else { return }
    head.append(.directive(.role, side))
  }

  /// Sets the time of the last response, where a line after it has it.
  mutating func setTimeOfLastResponse(_ nanoseconds: Int64) {
    guard open == nil, let last = exchanges.indices.last else { return }
    exchanges[last].nanoseconds = nanoseconds
  }

  /// Adds a directive before the next command or response.
  public mutating func directive(_ key: Transcript.Key, _ value: String) { pending.append(.directive(key, value)) }

  /// Adds a directive before the command that was added last.
  public mutating func commandDirective(_ key: Transcript.Key, _ value: String) {
    open?.notes.append(.directive(key, value))
  }

  /// Adds a command. A command before it that still has no response is left out.
  ///
  /// - Throws: `TranscriptError` for a length that no command has, and beyond `Transcript.maximumExchangeCount`.
  public mutating func command(_ octets: [UInt8], line: Int) throws(TranscriptError) {
    try command(octets, lines: line...line)
  }

  /// Adds a command that takes several lines: see `command(_:line:)`.
  public mutating func command(_ octets: [UInt8], lines: ClosedRange<Int>) throws(TranscriptError) {
    let line = lines.lowerBound
    try Transcript.Exchange.check(commandCount: octets.count, line: line)
    guard exchanges.count < Transcript.maximumExchangeCount else {
      throw TranscriptError(.tooManyExchanges(limit: Transcript.maximumExchangeCount), line: line)
    }
    leaveOutOpenCommand()
    isWaitingForAnyResponse = false
    open = (octets, pending, lines)
    pending = []
  }

  /// Adds a command whose bytes the recording does not have. The response to it is left out.
  public mutating func unknownCommand() {
    leaveOutOpenCommand()
    isWaitingForAnyResponse = true
  }

  /// Adds the response to the last command.
  ///
  /// - Throws: `TranscriptError` without a command before it, and for a length that no response has.
  public mutating func response(_ octets: [UInt8], line: Int) throws(TranscriptError) {
    try response(octets, lines: line...line)
  }

  private mutating func response(_ octets: [UInt8], lines: ClosedRange<Int>) throws(TranscriptError) {
    let line = lines.lowerBound
    try Transcript.Exchange.check(responseCount: octets.count, line: line)
    if isWaitingForAnyResponse {
      isWaitingForAnyResponse = false
      leaveOut("a response to any command, \(octets.count.bytes), status \(octets.suffix(2).hex)", line: line)
      return
    }
    guard let open else {
      throw TranscriptError(.unexpected(found: "a response", expected: "a command before it"), line: line)
    }
    exchanges.append(
      Transcript.Exchange(command: open.command, response: octets, notes: open.notes, responseNotes: pending))
    places.append(RecordingContents.Place(command: open.lines, response: lines))
    pending = []
    self.open = nil
  }

  /// Adds what a log has as a response. Logs may begin in the middle or lose bytes: without a command before it the
  /// response is left out, and with fewer than two bytes the exchange is torn.
  ///
  /// - Parameter nanoseconds: The time from the command to the response; nil or less than 0 is not recorded.
  /// - Throws: `TranscriptError` for a response that is too long.
  public mutating func loggedResponse(
    _ octets: [UInt8], line: Int, after nanoseconds: Int64? = nil
  ) throws(TranscriptError) {
    try loggedResponse(octets, lines: line...line, after: nanoseconds)
  }

  /// Adds a response that takes several lines: see `loggedResponse(_:line:after:)`.
  public mutating func loggedResponse(
    _ octets: [UInt8], lines: ClosedRange<Int>, after nanoseconds: Int64? = nil
  ) throws(TranscriptError) {
    let line = lines.lowerBound
    guard isWaiting else {
      return leaveOut("a response without a command, \(octets.count.bytes)", line: line)
    }
    if octets.count < 2 { return tear("a response of \(octets.count.bytes), too short for a status word", line: line) }
    if let nanoseconds, nanoseconds >= 0 { directive(.time, String(nanoseconds)) }
    try response(octets, lines: lines)
  }

  /// Marks the last command as torn, with the reason in a comment. Without such a command it does nothing.
  public mutating func tear(_ reason: String, line: Int) {
    guard isWaiting else { return }
    isWaitingForAnyResponse = false
    comment(reason)
    note(reason, line: line)
    if open != nil { directive(.torn, "transmissionFailed") }
  }

  /// Reports something that the transcript cannot hold, in a comment and a note. The text must not hold card data.
  public mutating func leaveOut(_ text: String, line: Int) {
    pending.append(.comment("left out: \(text)"))
    note("left out: \(text)", line: line)
  }

  /// Reports something that was guessed, in a note only. The text must not hold card data.
  public mutating func note(_ text: String, line: Int) {
    notes.append(RecordingContents.Note(line: line, text: text))
  }

  private mutating func leaveOutOpenCommand() {
    guard let open else { return }
    // The time of the command, and the reason why it has no response, belong to the command.
    pending = (open.notes + pending).filter { ![.instant, .time, .torn].contains($0.key) }
    self.open = nil
    leaveOut("a command without a response, header \(open.command.prefix(4).hex)", line: open.lines.lowerBound)
  }
}

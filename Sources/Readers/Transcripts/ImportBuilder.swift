internal import EMVData
internal import Octets

/// Puts commands and responses of an imported recording together.
struct ImportBuilder {
  private(set) var notes: [ImportedTranscript.Note] = []
  private var head: [Transcript.Note] = []
  private var exchanges: [Transcript.Exchange] = []
  private var pending: [Transcript.Note] = []
  private var open: (command: [UInt8], notes: [Transcript.Note], line: Int)?
  private var anyCommand = false

  /// Whether a command waits for its response.
  var isWaiting: Bool { open != nil || anyCommand }

  /// What was read so far; a last command without a response is that of a torn recording.
  var transcript: Transcript {
    var exchanges = exchanges
    if let open {
      exchanges.append(
        Transcript.Exchange(command: open.command, response: nil, notes: open.notes, responseNotes: pending))
    }
    if exchanges.isEmpty { return Transcript(notes: head + pending, exchanges: [], closingNotes: []) }
    return Transcript(notes: head, exchanges: exchanges, closingNotes: open == nil ? pending : [])
  }

  /// Keeps a comment; one that reads like a header line of a dump is told from it by a word before it.
  mutating func comment(_ text: String) {
    let note = Transcript.Note.comment(text)
    if !note.isOfHead {
      pending.append(note)
    } else if !note.text.isEmpty {
      pending.append(.comment("was " + note.text))
    }
  }

  /// What a recording says of the card, as a header line of the transcript; only the first of a name counts.
  mutating func header(_ name: String, _ value: String) {
    guard !head.contains(where: { $0.header(name) != nil }) else { return }
    head.append(.comment("\(name): \(value)"))
  }

  mutating func directive(_ key: Transcript.Key, _ value: String) { pending.append(.directive(key, value)) }

  mutating func command(_ octets: [UInt8], _ line: Int) throws(TranscriptError) {
    guard Transcript.Exchange.commandCounts.contains(octets.count) else {
      throw TranscriptError(.commandLength(octets.count, limits: Transcript.Exchange.commandCounts), line: line)
    }
    guard exchanges.count < Transcript.maximumExchangeCount else {
      throw TranscriptError(.tooManyExchanges(limit: Transcript.maximumExchangeCount), line: line)
    }
    closeUnanswered()
    open = (octets, pending, line)
    pending = []
  }

  /// Puts a note before the command that was taken last.
  mutating func amendCommand(_ note: Transcript.Note) { open?.notes.append(note) }

  /// A command of which the recording only says that there was one.
  mutating func anyCommand(_ line: Int) {
    closeUnanswered()
    anyCommand = true
  }

  mutating func response(_ octets: [UInt8], _ line: Int) throws(TranscriptError) {
    guard Transcript.Exchange.responseCounts.contains(octets.count) else {
      throw TranscriptError(.responseLength(octets.count, limits: Transcript.Exchange.responseCounts), line: line)
    }
    if anyCommand {
      anyCommand = false
      leaveOut("an answer to any command, \(octets.count) octets, status \(octets.suffix(2).hex)", line)
      return
    }
    guard let open else {
      throw TranscriptError(.unexpected(read: "a response", expected: "a command before it"), line: line)
    }
    exchanges.append(
      Transcript.Exchange(command: open.command, response: octets, notes: open.notes, responseNotes: pending))
    pending = []
    self.open = nil
  }

  private mutating func closeUnanswered() {
    guard let open else { return }
    // When it came and why nothing answered goes with the command.
    pending = (open.notes + pending).filter { ![.instant, .time, .torn].contains($0.key) }
    self.open = nil
    leaveOut("a command without an answer, header \(open.command.prefix(4).hex)", open.line)
  }

  mutating func leaveOut(_ what: String, _ line: Int) {
    pending.append(.comment("left out: \(what)"))
    notes.append(ImportedTranscript.Note(line: line, text: "left out: \(what)"))
  }

  mutating func note(_ text: String, _ line: Int) {
    notes.append(ImportedTranscript.Note(line: line, text: text))
  }
}

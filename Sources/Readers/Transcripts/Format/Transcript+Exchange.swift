public import ISO7816
public import Links
internal import Octets

extension Transcript {
  /// A command and its response.
  public struct Exchange: Equatable, Sendable {
    /// The possible lengths of a command: header, the longer length fields, and data (ISO/IEC 7816-3:2006, 12.1.3).
    package static let commandCounts = 1...65_544
    /// The possible lengths of a response.
    package static let responseCounts = 2...65_538

    /// Throws for a length that no command has.
    package static func check(commandCount count: Int, line: Int) throws(TranscriptError) {
      guard !commandCounts.contains(count) else { return }
      throw TranscriptError(.commandLength(count, limits: commandCounts), line: line)
    }

    /// Throws for a length that no response has.
    package static func check(responseCount count: Int, line: Int) throws(TranscriptError) {
      guard !responseCounts.contains(count) else { return }
      throw TranscriptError(.responseLength(count, limits: responseCounts), line: line)
    }

    /// The directives and comments before the command.
    public var notes: [Note]
    /// The command as it was on the wire, 1...65544 bytes. A PIN or keys in it are zeros.
    public let command: [UInt8]
    /// The directives and comments between the command and the response.
    public var responseNotes: [Note]
    /// The response as it was on the wire, 2...65538 bytes; nil when the link was torn.
    public let response: [UInt8]?

    /// Creates an exchange. A length outside the ranges of `command` and `response` traps.
    public init(command: [UInt8], response: [UInt8]?, notes: [Note] = [], responseNotes: [Note] = []) {
      precondition(
        Self.commandCounts.contains(command.count) && Self.responseCounts.contains(response?.count ?? 2),
        "an exchange is a command of 1 to 65544 bytes and a response of 2 to 65538")
      self.notes = notes
      self.command = SecretCommands.blanked(command)
      self.responseNotes = responseNotes
      self.response = response
    }

    /// The time from the command to the response, in nanoseconds of the recorder's clock (directive `t`), 0 or more;
    /// nil when it is not recorded.
    public var nanoseconds: Int64? {
      get { value(.time).flatMap { Int64($0) } }
      set {
        notes.removeAll { $0.key == .time }
        responseNotes.removeAll { $0.key == .time }
        if let newValue { responseNotes.insert(.directive(.time, String(max(0, newValue))), at: 0) }
      }
    }

    /// The time from the first event of the recording to the command, in nanoseconds (directive `at`); nil when it is
    /// not recorded.
    public var arrival: Int64? { value(.instant).flatMap { Int64($0) } }

    /// The tags whose values may differ in the command when it is replayed.
    public var variesInCommand: [Tag] { Self.tags(notes) }

    /// The tags whose values may differ in the response when it is replayed.
    public var variesInResponse: [Tag] { Self.tags(responseNotes) }

    /// The field events before the command, in order.
    public var fieldEvents: [RecordedFieldEvent] { notes.compactMap(RecordedFieldEvent.init) }

    /// Why there is no response; nil when there is one, or when the reason is not recorded.
    public var tornCode: LinkError.Code? {
      response == nil ? value(.torn).flatMap(LinkError.Code.init) : nil
    }

    /// Replaces the command, or the first bytes of the response.
    mutating func replace(_ octets: [UInt8], isResponse: Bool) {
      let changed = response.map { isResponse ? octets + $0.dropFirst(octets.count) : $0 }
      self = Exchange(
        command: isResponse ? command : octets, response: changed, notes: notes, responseNotes: responseNotes)
    }

    private func value(_ key: Key) -> String? { (notes + responseNotes).first { $0.key == key }?.text }

    private static func tags(_ notes: [Note]) -> [Tag] {
      notes.filter { $0.key == .varies }.flatMap { RecordedTags.tags(in: $0.text) ?? [] }
    }
  }
}

/// A field event in a recording of the card's side.
public struct RecordedFieldEvent: Equatable, Sendable {
  /// The event.
  public let event: FieldEvent
  /// The time from the first event of the recording, in nanoseconds; nil when it is not recorded.
  public let arrival: Int64?

  /// Creates an event.
  public init(_ event: FieldEvent, arrival: Int64? = nil) {
    self.event = event
    self.arrival = arrival
  }

  /// Reads a directive; nil for other notes and for an invalid value.
  init?(_ note: Transcript.Note) {
    guard note.key == .field else { return nil }
    let words = note.text.split(separator: " ")
    guard let name = words.first, words.count <= 2, let event = Self.names.first(where: { $0.value == name })?.key
    else {
      return nil
    }
    if words.count == 2 {
      guard let arrival = Int64(words[1]), arrival >= 0 else { return nil }
      self.init(event, arrival: arrival)
    } else {
      self.init(event)
    }
  }

  var note: Transcript.Note {
    .directive(.field, [Self.names[event], arrival.map { String($0) }].compactMap(\.self).joined(separator: " "))
  }

  private static let names: [FieldEvent: String] = [
    .powered: "powered", .reset: "reset", .deselected: "deselected", .lost: "lost",
  ]
}

enum RecordedTags {
  /// Reads tags in hexadecimal with spaces or commas between them; nil when a word is not a tag.
  static func tags(in text: String) -> [Tag]? {
    var tags: [Tag] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      guard word.utf8.count <= 6, let raw = UInt32(word, radix: 16) else { return nil }
      let tag = Tag(rawValue: raw)
      guard tag.isWellFormed, tag.octetCount * 2 == word.utf8.count else { return nil }
      tags.append(tag)
    }
    return tags
  }
}

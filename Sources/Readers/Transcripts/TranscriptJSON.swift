internal import Octets

extension Transcript {
  /// The transcript as JSON, unredacted. `ImportedTranscript` reads it back to the same transcript.
  ///
  /// ```
  /// {"contactless-transcript": 1,               version of this form
  ///  "head": [NOTE…],                           what stands before the first exchange
  ///  "exchanges": [{"notes": [NOTE…],           before the command; left out when empty
  ///                 "command": "00A4…",         hexadecimal
  ///                 "responseNotes": [NOTE…],   between command and response; left out when empty
  ///                 "response": "6F33…9000"}],  left out when the link was torn, in the last exchange only
  ///  "closing": [NOTE…]}                        after the last response
  /// NOTE = {"comment": "ATR: 3B80"} or {"key": "role", "value": "terminal"}, a directive: see `Transcript`
  /// ```
  public var json: String {
    let rows = exchanges.map { exchange in
      var members: [String] = []
      if !exchange.notes.isEmpty { members.append("\"notes\": \(TranscriptJSON.notes(exchange.notes))") }
      members.append("\"command\": \"\(exchange.command.hex)\"")
      if !exchange.responseNotes.isEmpty {
        members.append("\"responseNotes\": \(TranscriptJSON.notes(exchange.responseNotes))")
      }
      if let response = exchange.response { members.append("\"response\": \"\(response.hex)\"") }
      return "    {" + members.joined(separator: ",\n     ") + "}"
    }
    return """
      {
        "\(Key.version.rawValue)": \(Self.version),
        "head": \(TranscriptJSON.notes(notes)),
        "exchanges": [
      \(rows.joined(separator: ",\n"))
        ],
        "closing": \(TranscriptJSON.notes(closingNotes))
      }

      """
  }
}

enum TranscriptJSON {
  fileprivate static func notes(_ notes: [Transcript.Note]) -> String {
    let texts = notes.map { note in
      guard let key = note.key else { return "{\"comment\": \(JSONText.quoted(note.text))}" }
      return "{\"key\": \(JSONText.quoted(key.rawValue)), \"value\": \(JSONText.quoted(note.text))}"
    }
    return "[" + texts.joined(separator: ", ") + "]"
  }

  /// Reads a transcript; each note and octets are checked like the lines of the text.
  static func transcript(parsing text: String) throws(TranscriptError) -> Transcript {
    let json = try JSONText(parsing: text)
    guard let version = json[Transcript.Key.version.rawValue] else {
      throw ImportedLine.fault(json.kind, "an object with \"\(Transcript.Key.version.rawValue)\"", json.line)
    }
    guard version.number == Double(Transcript.version) else {
      throw TranscriptError(.unsupportedVersion(version.kind, supported: Transcript.version), line: version.line)
    }
    var reader = TranscriptReader()
    try read(json["head"], into: &reader)
    let exchanges = try json["exchanges"]?.array("an array of exchanges") ?? []
    for (index, exchange) in exchanges.enumerated() {
      try read(exchange, isLast: index == exchanges.count - 1, into: &reader)
    }
    try read(json["closing"], into: &reader)
    return reader.transcript
  }

  private static func read(
    _ exchange: JSONText, isLast: Bool, into reader: inout TranscriptReader
  ) throws(TranscriptError) {
    try read(exchange["notes"], into: &reader)
    guard let command = exchange["command"] else {
      throw ImportedLine.fault(exchange.kind + " without it", "an exchange with \"command\"", exchange.line)
    }
    try octets(command, into: &reader)
    try read(exchange["responseNotes"], into: &reader)
    if let response = exchange["response"] {
      try octets(response, into: &reader)
    } else if !isLast {
      throw ImportedLine.fault("an exchange without it", "\"response\" in all but the last", exchange.line)
    }
  }

  private static func octets(_ json: JSONText, into reader: inout TranscriptReader) throws(TranscriptError) {
    let text = try json.string("octets in hexadecimal")
    let octets = try ImportedLine.octets(text[...], json.line)
    guard !octets.isEmpty else { throw ImportedLine.fault("nothing", "octets in hexadecimal", json.line) }
    try reader.read(octets.hex, line: json.line)
  }

  private static func read(_ notes: JSONText?, into reader: inout TranscriptReader) throws(TranscriptError) {
    for note in try notes?.array("an array of notes") ?? [] {
      if let comment = note["comment"] {
        try reader.read(Transcript.Note.comment(try comment.string("a comment")).line, line: note.line)
      } else if let key = note["key"], let value = note["value"] {
        let name = try key.string("the key of a directive")
        guard let key = Transcript.Key(rawValue: name) else {
          throw TranscriptError(.malformedDirective, line: note.line)
        }
        let directive = Transcript.Note.directive(key, try value.string("the value of a directive"))
        try reader.read(directive.line, line: note.line)
      } else {
        throw ImportedLine.fault(note.kind, "a comment, or a key and its value", note.line)
      }
    }
  }
}

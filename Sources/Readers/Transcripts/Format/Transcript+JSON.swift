internal import JSON
internal import Octets

extension Transcript {
  /// The transcript as JSON, unredacted. Reading it gives the same transcript.
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
    let exchanges = exchanges.map { exchange in
      JSONValue(members: [
        ("notes", Self.json(unlessEmpty: exchange.notes)),
        ("command", JSONValue(exchange.command.hex)),
        ("responseNotes", Self.json(unlessEmpty: exchange.responseNotes)),
        ("response", exchange.response.map { JSONValue($0.hex) }),
      ])
    }
    let document = JSONValue(members: [
      (Key.version.rawValue, JSONValue(Self.version)), ("head", Self.json(notes)),
      ("exchanges", JSONValue(exchanges)), ("closing", Self.json(closingNotes)),
    ])
    return document.pretty + "\n"
  }

  private static func json(unlessEmpty notes: [Note]) -> JSONValue? { notes.isEmpty ? .none : .some(json(notes)) }

  private static func json(_ notes: [Note]) -> JSONValue {
    JSONValue(
      notes.map { note in
        guard let key = note.key else { return ["comment": JSONValue(note.text)] }
        return ["key": JSONValue(key.rawValue), "value": JSONValue(note.text)]
      })
  }

  /// Reads a transcript from JSON. Notes and bytes are checked as the lines of a text are.
  ///
  /// - Throws: `TranscriptError` with the line of the first fault.
  package init(json octets: [UInt8]) throws(TranscriptError) {
    let json = try JSONValue.transcript(parsing: octets)
    let version = try json.member(Key.version.rawValue)
    guard version.integer == Self.version else {
      throw TranscriptError(
        .unsupportedVersion(version.compact, supported: Self.version), line: version.position.line)
    }
    var reader = TranscriptReader()
    try reader.read(notes: json["head"])
    let exchanges = try json["exchanges"]?.list(expected: "a list of exchanges") ?? []
    for (index, exchange) in exchanges.enumerated() {
      try reader.read(exchange: exchange, isLast: index == exchanges.count - 1)
    }
    try reader.read(notes: json["closing"])
    self = reader.transcript
  }
}

extension TranscriptReader {
  fileprivate mutating func read(exchange: JSONValue, isLast: Bool) throws(TranscriptError) {
    try read(notes: exchange["notes"])
    try read(octets: try exchange.member("command"))
    try read(notes: exchange["responseNotes"])
    if let response = exchange["response"] {
      try read(octets: response)
    } else if !isLast {
      throw TranscriptError(
        .unexpected(found: "an exchange without it", expected: "\"response\" in all exchanges but the last"),
        line: exchange.position.line, column: exchange.position.column)
    }
  }

  private mutating func read(octets json: JSONValue) throws(TranscriptError) {
    let octets = try json.octets()
    guard !octets.isEmpty else {
      throw TranscriptError(
        .unexpected(found: "no bytes", expected: "bytes in hexadecimal"), line: json.position.line,
        column: json.position.column)
    }
    try read(octets.hex, line: json.position.line)
  }

  fileprivate mutating func read(notes: JSONValue?) throws(TranscriptError) {
    for note in try notes?.list(expected: "a list of notes") ?? [] {
      let line = note.position.line
      if let comment = note["comment"] {
        try read(Transcript.Note.comment(try comment.text(expected: "a comment")).line, line: line)
      } else if let key = note["key"], let value = note["value"] {
        guard let key = Transcript.Key(rawValue: try key.text(expected: "the key of a directive")) else {
          throw TranscriptError(.malformedDirective, line: line)
        }
        let directive = Transcript.Note.directive(key, try value.text(expected: "the value of a directive"))
        try read(directive.line, line: line)
      } else {
        throw TranscriptError(note, expected: "a comment, or a key and its value")
      }
    }
  }
}

internal import Transcripts

extension RecordingFormat {
  /// The text of this project, and the dump of apdu4j: see `Transcript`.
  public static let dump = RecordingFormat(
    name: "dump", title: "dump",
    recognisesLine: { line in
      switch line.place {
      case .leadingComment:
        line.text.begins(with: "#@")
          || ["ATR:", "PROTOCOL:", "UID:"].contains { Substring(line.text.utf8.dropFirst()).trimmed.begins(with: $0) }
      case .first: line.followsComments && line.isHexadecimal
      case .later: false
      }
    },
    read: { (octets) throws(TranscriptError) in
      RecordingContents(try Transcript(parsing: octets.span))
    }, write: { Array($0.text.utf8) })

  /// A transcript of this project as JSON: see `Transcript.json`.
  public static let json = RecordingFormat(
    name: "json", title: "JSON transcript",
    recognisesLine: { $0.place == .first && $0.beginsObject && !$0.isFirstOfObjects },
    read: { (octets) throws(TranscriptError) in
      RecordingContents(try Transcript(json: octets))
    }, write: { Array($0.json.utf8) })
}

extension RecordingLine {
  /// Whether the line begins an object of JSON. A brace alone may also begin a line of a program.
  var beginsObject: Bool {
    guard text.begins(with: "{"), let brace = beginning.utf8.firstIndex(of: 0x7B) else { return false }
    let next = beginning.utf8[brace...].dropFirst().first { $0 > 0x20 }
    return next == nil || next == 0x22 || next == 0x7D
  }

  /// Whether each line of the text is an object of its own, as programs log them.
  fileprivate var isFirstOfObjects: Bool {
    let lines = beginning.utf8.split(separator: 0x0A).map { Substring($0).trimmed }.filter { !$0.isEmpty }
    return lines.count > 1 && lines[0].hasSuffix("}") && lines[1].begins(with: "{")
  }

  /// Whether the line has nothing but hexadecimal digits and spaces.
  fileprivate var isHexadecimal: Bool { text.allSatisfy { $0.isHexDigit || $0 == " " } }
}

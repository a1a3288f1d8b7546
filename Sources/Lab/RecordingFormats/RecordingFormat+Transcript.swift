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
    recognisesLine: { $0.place != .leadingComment && $0.text.begins(with: "{") },
    read: { (octets) throws(TranscriptError) in
      RecordingContents(try Transcript(json: octets))
    }, write: { Array($0.json.utf8) })
}

extension RecordingLine {
  /// Whether the line has nothing but hexadecimal digits and spaces.
  fileprivate var isHexadecimal: Bool { text.allSatisfy { $0.isHexDigit || $0 == " " } }
}

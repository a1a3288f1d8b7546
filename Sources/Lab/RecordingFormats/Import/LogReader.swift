public import Transcripts

/// Reads a text format line by line into a builder. It ignores lines that are no part of an exchange.
public protocol LogReader: SendableMetatype {
  /// Creates a reader before the first line.
  init()
  /// Reads a line.
  ///
  /// - Parameters:
  ///   - line: The line without white space around it and without the escape sequences that colour text; never empty.
  ///   - number: The number of the line, from 1.
  /// - Throws: `TranscriptError` with the number for a line that the format does not allow.
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError)
  /// Ends the reading.
  ///
  /// - Parameter number: The number of the last line.
  /// - Throws: `TranscriptError` for a text that must not end there.
  mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError)
}

extension LogReader {
  /// Does nothing.
  public mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {}

  static func read(_ octets: [UInt8]) throws(TranscriptError) -> RecordingContents {
    var reader = Self()
    var builder = TranscriptBuilder()
    let lines = try LogText.lines(of: octets).map(\.trimmed)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      try reader.read(line, index + 1, into: &builder)
    }
    try reader.finish(lines.count, into: &builder)
    return builder.contents
  }
}

extension RecordingFormat {
  /// Creates a text format that is read line by line.
  ///
  /// - Parameters:
  ///   - name: A unique short name without spaces.
  ///   - title: The name in words.
  ///   - reader: Reads the lines.
  ///   - write: Writes a transcript; nil when the format is only read.
  ///   - recognisesLine: Whether a line shows that the file is of this format.
  public init<Reader: LogReader>(
    name: String, title: String, reader: Reader.Type, write: Write? = nil,
    recognisesLine: @escaping @Sendable (_ line: RecordingLine) -> Bool
  ) {
    self.init(
      name: name, title: title, recognisesLine: recognisesLine,
      read: { (octets) throws(TranscriptError) in try Reader.read(octets) }, write: write)
  }
}

/// Reads dumps such as `0010 00 A4 04 00   ....`: sixteen bytes a line, then their characters.
enum HexDump {
  static func octets(_ text: Substring, line: Int) throws(TranscriptError) -> [UInt8] {
    try [UInt8](hex: text.prefix(16 * 3), line: line)
  }
}

extension Substring {
  /// The text before the first `#`.
  var beforeComment: Substring { Substring(utf8.prefix { $0 != UInt8(ascii: "#") }) }
}

public import Transcripts

extension RecordingFormat {
  /// The formats that this module reads and writes. The order decides where two formats recognise the same line.
  public static let shipped: [RecordingFormat] = [
    .dump, .bareLines, .log, .pcscSpyLog, .libnfcLog, .proxmarkTrace, .proxmarkAPDUList, .proxmarkScan, .proxmarkText,
    .cardpeekLog, .scriptorScript, .json, .packetCapture,
  ]

  /// The most lines that are searched for one that a format recognises. Tools print other lines before a log begins.
  static let maximumSearchedLineCount = 100

  /// Returns the format that a recording is most likely written in.
  ///
  /// A binary format is recognised by the whole file, a text format by the first line that any format recognises. A text
  /// without such a line is a log when it holds an exchange, else it is taken for hexadecimal lines. Every input has a
  /// guess.
  ///
  /// - Parameters:
  ///   - octets: The content of the file.
  ///   - formats: The formats to choose from; those that are only written are ignored.
  public static func guess(_ octets: [UInt8], among formats: [RecordingFormat] = shipped) -> RecordingFormat {
    let readable = formats.filter { $0.read != nil }
    if let binary = readable.first(where: { $0.recognisesOctets(octets) }) { return binary }
    guard let raw = try? LogText.lines(of: octets) else { return .bareLines }
    let lines = raw.map(\.trimmed)
    let beginning = String(decoding: octets.prefix(RecordingLine.maximumBeginningCount), as: UTF8.self)
    var (hasComments, searchedCount) = (false, 0)
    for text in lines where !text.isEmpty {
      let content = String(Substring(text.utf8.prefix(RecordingLine.maximumCount)))
      let isLeading = searchedCount == 0
      let isComment = isLeading && content.begins(with: "#")
      let line = RecordingLine(
        text: content, place: isComment ? .leadingComment : isLeading ? .first : .later, followsComments: hasComments,
        beginning: beginning)
      if let format = readable.first(where: { $0 != .bareLines && $0.recognisesLine(line) }) { return format }
      if isComment {
        hasComments = true
        continue
      }
      searchedCount += 1
      if searchedCount == maximumSearchedLineCount { break }
    }
    let isBare = BareLines.areDigits(lines)
    if !isBare, readable.contains(.log), isLog(raw) { return .log }
    return searchedCount > 0 && (isBare || !hasComments) ? .bareLines : .dump
  }

  /// Returns the format of a file, as `guess(_:among:)` does.
  ///
  /// - Throws: `TranscriptError` for bytes that are neither of a binary format nor text.
  public static func recognised(
    _ octets: [UInt8], among formats: [RecordingFormat] = shipped
  ) throws(TranscriptError) -> RecordingFormat {
    let format = guess(octets, among: formats)
    // No text has the character NUL, and every picture, program and archive does.
    guard octets.contains(0), !format.recognisesOctets(octets) else { return format }
    let pictures: [([UInt8], String)] = [
      ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"), ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
    ]
    let found = pictures.first { octets.starts(with: $0.0) }?.1 ?? "binary data"
    throw TranscriptError(.unexpected(found: found, expected: "a recording"), line: 1)
  }

  /// Returns the format that a text is most likely written in: see `guess(_:among:)` for bytes.
  public static func guess(_ text: String, among formats: [RecordingFormat] = shipped) -> RecordingFormat {
    guess(Array(text.utf8), among: formats)
  }
}

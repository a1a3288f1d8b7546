/// Reads a transcript of any length in constant memory: bytes go in, notes, commands and responses come out.
///
/// ```swift
/// var scanner = TranscriptScanner()
/// scanner.append(octets.span)
/// scanner.finish()
/// while let item = try scanner.next() {
///   if item == .response { print(scanner.command.count, scanner.response.count) }
/// }
/// ```
///
/// A file is appended block by block: `next()` returns nil when it needs another block. The memory is that of one block, of
/// the longest line and of one exchange. `Transcript(parsing:)` reads the same format into memory.
public struct TranscriptScanner: ~Copyable {
  /// What a line holds.
  public enum Item: Equatable, Sendable {
    /// A comment, a header or a directive: see `note()`.
    case note
    /// A command: see `command`.
    case command
    /// The response to the last command: see `response`.
    case response
  }

  /// The number of the last line, from 1.
  public private(set) var line = 0
  /// The last command as it is written, which may hold a PIN or keys. The scanner uses the array again, so an array that is
  /// kept costs an allocation.
  public private(set) var command: [UInt8] = []
  /// The response to the last command; the same holds for its array.
  public private(set) var response: [UInt8] = []

  private let maximumLineCount: Int
  private var buffer: [UInt8] = []
  /// The first byte of the buffer that was not read.
  private var position = 0
  private var hasEnded = false
  private var expectsResponse = false
  /// The last line without white space at its ends.
  private var text = 0..<0
  /// The same for a line that begins with a character outside ASCII.
  private var decoded: String?

  /// Creates a scanner.
  ///
  /// - Parameter maximumLineCount: The most lines.
  public init(maximumLineCount: Int = .max) { self.maximumLineCount = maximumLineCount }

  /// Appends the next bytes of the transcript. Call it when `next()` has returned nil.
  public mutating func append(_ octets: Span<UInt8>) {
    buffer.removeSubrange(..<min(position, buffer.count))
    (position, text) = (0, 0..<0)
    // The bytes are borrowed for the call.
    unsafe octets.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
  }

  /// Ends the transcript: the last line needs no line feed.
  public mutating func finish() { hasEnded = true }

  /// Returns what the next line with contents holds; nil when more bytes are needed, and at the end.
  ///
  /// - Throws: `TranscriptError` with the line. A note is not checked before `note()`.
  public mutating func next() throws(TranscriptError) -> Item? {
    while let found = try nextLine() {
      (text, decoded) = (trimmed(found), nil)
      guard let first = text.first.map({ buffer[$0] }) else { continue }
      var isNote = first == UInt8(ascii: "#")
      if first >= 0x80 {
        let whole = String(decoding: buffer[text], as: UTF8.self)
        // A byte order mark at the start of the text is not part of the line.
        let contents = line == 1 ? whole[...].importedLine : whole.trimmed
        if contents.isEmpty { continue }
        isNote = contents.utf8.first == UInt8(ascii: "#")
        decoded = contents
      }
      return isNote ? .note : try exchanged()
    }
    return nil
  }

  /// The note of the last line.
  ///
  /// - Throws: `TranscriptError` for a directive or a header with an invalid value.
  public func note() throws(TranscriptError) -> Transcript.Note {
    try Transcript.Note(line: decoded ?? String(decoding: buffer[text], as: UTF8.self), number: line)
  }

  /// The bytes of the next line; nil when its end is not in the buffer.
  private mutating func nextLine() throws(TranscriptError) -> Range<Int>? {
    let end = Self.lineFeed(in: buffer, from: position)
    let isComplete = end < buffer.count
    let count = end - position
    if !isComplete, !hasEnded, count <= Transcript.maximumLineLength { return nil }
    // The text ends with a line without a line feed, which may be empty.
    if position > buffer.count { return nil }
    line += 1
    guard line <= maximumLineCount else { throw TranscriptError(.tooManyLines(limit: maximumLineCount), line: line) }
    guard count <= Transcript.maximumLineLength else {
      throw TranscriptError(.lineTooLong(count: count, limit: Transcript.maximumLineLength), line: line)
    }
    defer { position = end + 1 }
    return position..<end
  }

  /// The position of the next line feed, or the end. A parameter, since a property would be checked for each byte.
  private static func lineFeed(in octets: [UInt8], from start: Int) -> Int {
    var end = start
    while end < octets.count, octets[end] != 0x0A { end += 1 }
    return end
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, buffer[start].isSpace { start += 1 }
    while start < end, buffer[end - 1].isSpace { end -= 1 }
    return start..<end
  }

  private mutating func exchanged() throws(TranscriptError) -> Item {
    if expectsResponse {
      try Self.decode(buffer, text, decoded, line: line, into: &response)
      try Transcript.Exchange.check(responseCount: response.count, line: line)
    } else {
      try Self.decode(buffer, text, decoded, line: line, into: &command)
      try Transcript.Exchange.check(commandCount: command.count, line: line)
    }
    expectsResponse.toggle()
    return expectsResponse ? .command : .response
  }

  /// Decodes pairs of digits with white space between them. Any other line is decoded as text, which is slower.
  private static func decode(
    _ line: [UInt8], _ text: Range<Int>, _ decoded: String?, line number: Int, into octets: inout [UInt8]
  ) throws(TranscriptError) {
    octets.removeAll(keepingCapacity: true)
    var position = decoded == nil ? text.lowerBound : text.upperBound
    while position + 1 < text.upperBound {
      let (high, low) = (line[position].hexadecimalValue, line[position + 1].hexadecimalValue)
      if high | low < 0x10 {
        octets.append(high << 4 | low)
        position += 2
      } else if line[position].isSpace {
        position += 1
      } else {
        break
      }
    }
    if position == text.upperBound, decoded == nil { return }
    let contents = decoded ?? String(decoding: line[text], as: UTF8.self)
    octets = try [UInt8](hex: contents[...], line: number)
  }
}

extension UInt8 {
  /// Whether it is white space of ASCII.
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  /// The value of a hexadecimal digit; 255 for another character. Without a branch, since digits and letters alternate
  /// at random.
  @inline(__always)
  fileprivate var hexadecimalValue: UInt8 {
    let (digit, letter) = (self &- 0x30, (self | 0x20) &- 0x61)
    return digit < 10 ? digit : letter < 6 ? letter &+ 10 : 0xFF
  }
}

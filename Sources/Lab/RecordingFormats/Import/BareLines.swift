internal import EMVDecoding
internal import Transcripts

extension RecordingFormat {
  /// Hexadecimal lines, command and response in turn; a command may be without a response (emv-bertlv). A comment after
  /// `#`, `;` or `//` may follow the digits.
  public static let bareLines = RecordingFormat(name: "bare", title: "bare lines", reader: BareLines.self) {
    $0.place == .first && !$0.followsComments && $0.beginsWithDigits
  }
}

extension RecordingLine {
  /// Whether the line has hexadecimal digits and nothing else but a comment after them.
  fileprivate var beginsWithDigits: Bool { BareLines.isDigits(text) }
}

/// Decides by its form and its place whether a line is a command or a response.
struct BareLines: LogReader {
  /// Whether all lines of a text that are neither blank nor comments have only digits.
  static func areDigits(_ lines: [String]) -> Bool {
    var count = 0
    for line in lines where !line.isEmpty && !line.begins(with: "#") {
      guard isDigits(line) else { return false }
      count += 1
    }
    return count > 0
  }

  static func isDigits(_ line: String) -> Bool {
    let digits = line.digitsAndComment.digits
    return !digits.isEmpty && digits.allSatisfy { $0.isHexDigit || $0 == " " }
  }

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if builder.takesComment(line) { return }
    let (digits, comment) = line.digitsAndComment
    let octets = try [UInt8](hex: digits, line: number)
    if let comment { builder.comment(comment) }
    let isCommand = InstructionNames.isKnownCommand(octets)
    guard builder.isWaiting else {
      if !isCommand { builder.note("taken for a command, though no known instruction reads like it", line: number) }
      return try builder.command(octets, line: number)
    }
    if isCommand, !Self.endsLikeResponse(octets) { return try builder.command(octets, line: number) }
    if !Self.endsLikeResponse(octets) {
      builder.note("taken for a response, though it does not end in a status word", line: number)
    }
    try builder.response(octets, line: number)
  }

  /// Whether SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-4:2013, 5.6).
  private static func endsLikeResponse(_ octets: [UInt8]) -> Bool {
    guard octets.count >= 2 else { return false }
    let first = octets[octets.count - 2]
    return (0x61...0x6F).contains(first) || first >> 4 == 9
  }
}

extension String {
  /// The text before a comment, and the comment, if there is one: `9000 // OK`, `9000 # OK` or `9000 ; OK`.
  fileprivate var digitsAndComment: (digits: Substring, comment: String?) {
    let marks = [" #", " ;", " //"].compactMap { utf8.firstRange(of: $0.utf8) }
    guard let mark = marks.min(by: { $0.lowerBound < $1.lowerBound }) else { return (self[...], nil) }
    return (self[..<mark.lowerBound], " " + self[mark.upperBound...].trimmed)
  }
}

extension TranscriptBuilder {
  /// Adds a line as a comment when it begins with `#`; returns whether it does.
  fileprivate mutating func takesComment(_ line: String) -> Bool {
    guard line.begins(with: "#") else { return false }
    comment(String(Substring(line.utf8.dropFirst())))
    return true
  }
}

internal import EMVDecoding
internal import Transcripts

extension RecordingFormat {
  /// Hexadecimal lines, command and response in turn; a command may be without a response (emv-bertlv). A comment after
  /// `#`, `;` or `//` may follow the digits.
  public static let bareLines = RecordingFormat(name: "bare", title: "bare lines", reader: BareLines.self) {
    $0.place == .first && !$0.followsComments && $0.beginsWithDigits
  }

  /// `send: <hex>` and `resp: <hex>`; an empty `send:` stands for any command (EMV-NFC-Paycard-Enrollment). Logs of
  /// programs for phones have `SEND:` and `RCV:`, with a comment after the digits.
  public static let sendAndResponse = RecordingFormat(
    name: "send-resp", title: "send/resp script", reader: SendAndResponse.self
  ) { $0.isFirst(withAnyOf: SendAndResponse.commandPrefixes + SendAndResponse.responsePrefixes) }

  /// A YAML list of `req: '<hex>'` and `res: '<hex>'` (emvpt, emv-card-simulator).
  public static let requestList = RecordingFormat(name: "req-res", title: "req/res list", reader: RequestList.self) {
    $0.isFirst(withAnyOf: ["- req:", "req:", "res:"])
  }

  /// `>> <hex>` and `<< <hex> (1.23ms)`: the log of apdu4j.
  public static let arrows = RecordingFormat(name: "apdu4j-log", title: "log of >> and <<", reader: ArrowLog.self) {
    $0.isFirst(withAnyOf: [">>", "<<"])
  }
}

extension RecordingLine {
  fileprivate func isFirst(withAnyOf prefixes: [String]) -> Bool {
    place == .first && prefixes.contains { text.begins(with: $0) }
  }

  /// Whether the line has hexadecimal digits and nothing else but a comment after them.
  fileprivate var beginsWithDigits: Bool {
    let digits = text.digitsAndComment.digits
    return !digits.isEmpty && digits.allSatisfy { $0.isHexDigit || $0 == " " }
  }
}

/// Decides by its form and its place whether a line is a command or a response.
private struct BareLines: LogReader {
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

private struct SendAndResponse: LogReader {
  static let commandPrefixes = ["send:", "SEND:"]
  static let responsePrefixes = ["resp:", "RCV:"]

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if builder.takesComment(line) { return }
    let (entry, comment) = line.digitsAndComment
    if let comment { builder.comment(comment) }
    if let digits = entry.after(anyOf: Self.commandPrefixes) {
      let command = try [UInt8](hex: digits, line: number)
      if command.isEmpty { builder.unknownCommand() } else { try builder.command(command, line: number) }
    } else if let digits = entry.after(anyOf: Self.responsePrefixes) {
      try builder.response(try [UInt8](hex: digits, line: number), line: number)
    } else if line.begins(with: "[ERROR]") {
      builder.tear("the program reported an error in place of a response", line: number)
    } else {
      throw TranscriptError(
        quoting: line, expected: "send:, resp:, SEND: or RCV: and bytes in hexadecimal", line: number)
    }
  }
}

private struct RequestList: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if builder.takesComment(line) { return }
    let entry = line.after("- ")?.trimmed ?? line
    if let value = entry.after("req:") {
      try builder.command(try Self.octets(value, number), line: number)
    } else if let value = entry.after("res:") {
      try builder.response(try Self.octets(value, number), line: number)
    } else {
      throw TranscriptError(quoting: line, expected: "req: or res: and bytes in hexadecimal", line: number)
    }
  }

  private static func octets(_ value: Substring, _ number: Int) throws(TranscriptError) -> [UInt8] {
    try [UInt8](hex: try unquoted(value, number), line: number)
  }

  /// Returns the content of a YAML scalar: in quotes of either kind, or plain. A comment may follow it.
  private static func unquoted(_ text: Substring, _ number: Int) throws(TranscriptError) -> Substring {
    let value = text.drop(while: \.isWhitespace)
    guard let quote = value.first, quote == "'" || quote == "\"" else { return value.beforeComment }
    let inner = value.dropFirst()
    guard let end = inner.firstIndex(of: quote) else {
      throw TranscriptError(quoting: String(text), expected: "a closing \(quote)", line: number)
    }
    let rest = inner[inner.index(after: end)...].trimmed
    guard rest.isEmpty || rest.begins(with: "#") else {
      throw TranscriptError(quoting: rest, expected: "the end of the line", line: number)
    }
    return inner[..<end]
  }
}

private struct ArrowLog: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if builder.takesComment(line) { return }
    if let digits = line.after(">>") {
      try builder.command(try [UInt8](hex: digits, line: number), line: number)
    } else if let rest = line.after("<<") {
      let parts = rest.split(separator: "(", maxSplits: 1)
      let response = try [UInt8](hex: parts.first ?? "", line: number)
      if let time = parts.dropFirst().first {
        guard let nanoseconds = Self.nanoseconds(time.trimmed) else {
          throw TranscriptError(quoting: "(" + time, expected: "a time such as (1.23ms)", line: number)
        }
        builder.directive(.time, String(nanoseconds))
      }
      try builder.response(response, line: number)
    } else {
      throw TranscriptError(quoting: line, expected: ">> or << and bytes in hexadecimal", line: number)
    }
  }

  /// Reads `1.23ms)` as nanoseconds: up to nine digits before the point and six after it.
  private static func nanoseconds(_ text: String) -> Int64? {
    guard text.hasSuffix("ms)") else { return nil }
    let parts = text.dropLast(3).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : ""
    guard let whole = parts.first, (1...9).contains(whole.count), fraction.count <= 6,
      (whole + fraction).allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return Int64(whole + fraction + String(repeating: "0", count: 6 - fraction.count))
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

extension Substring {
  fileprivate func after(anyOf prefixes: [String]) -> Substring? { prefixes.lazy.compactMap { self.after($0) }.first }
}

extension TranscriptBuilder {
  /// Adds a line as a comment when it begins with `#`; returns whether it does.
  fileprivate mutating func takesComment(_ line: String) -> Bool {
    guard line.begins(with: "#") else { return false }
    comment(String(Substring(line.utf8.dropFirst())))
    return true
  }
}

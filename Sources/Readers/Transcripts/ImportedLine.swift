internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// Reads a line of one of the imported syntaxes.
enum ImportedLine {
  static func read(
    _ line: String, _ number: Int, _ syntax: TranscriptSyntax, into builder: inout ImportBuilder
  ) throws(TranscriptError) {
    switch syntax {
    case .dump, .bareLines: try bare(line, number, &builder)
    case .sendAndResponse: try script(line, number, &builder)
    case .requestList: try list(line, number, &builder)
    case .arrows: try arrow(line, number, &builder)
    case .scriptorScript: try command(line, number, &builder)
    case .pcscdLog, .pcscSpyLog, .libnfcLog, .proxmarkTrace, .proxmarkList, .cardpeekLog, .scriptorOutput,
      .openscOutput, .pyscardOutput, .json:
      preconditionFailure("\(syntax.rawValue) is no syntax of single lines")
    }
  }

  private static func script(_ line: String, _ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    if line.hasPrefix("send:") {
      let command = try octets(line.dropFirst(5), number)
      if command.isEmpty { builder.anyCommand(number) } else { try builder.command(command, number) }
    } else if line.hasPrefix("resp:") {
      try builder.response(try octets(line.dropFirst(5), number), number)
    } else {
      throw unexpected(line, "send: or resp: and octets in hexadecimal", number)
    }
  }

  private static func list(_ line: String, _ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    let entry = line.hasPrefix("- ") ? line.dropFirst(2).trimmed : line
    if entry.hasPrefix("req:") {
      try builder.command(try octets(try unquoted(entry.dropFirst(4), number), number), number)
    } else if entry.hasPrefix("res:") {
      try builder.response(try octets(try unquoted(entry.dropFirst(4), number), number), number)
    } else {
      throw unexpected(line, "req: or res: and octets in hexadecimal", number)
    }
  }

  /// A YAML scalar: in quotes of either kind, or plain; a comment may follow.
  private static func unquoted(_ text: Substring, _ number: Int) throws(TranscriptError) -> Substring {
    let value = text.drop(while: \.isWhitespace)
    guard let quote = value.first, quote == "'" || quote == "\"" else {
      return value.prefix { $0 != "#" }
    }
    let inner = value.dropFirst()
    guard let end = inner.firstIndex(of: quote) else { throw unexpected(String(text), "a closing \(quote)", number) }
    let rest = inner[inner.index(after: end)...].trimmed
    guard rest.isEmpty || rest.hasPrefix("#") else { throw unexpected(rest, "the end of the line", number) }
    return inner[..<end]
  }

  private static func arrow(_ line: String, _ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    if line.hasPrefix(">>") {
      try builder.command(try octets(line.dropFirst(2), number), number)
    } else if line.hasPrefix("<<") {
      let parts = line.dropFirst(2).split(separator: "(", maxSplits: 1)
      let response = try octets(parts.first ?? "", number)
      if let time = parts.dropFirst().first {
        guard let nanoseconds = nanoseconds(time.trimmed) else {
          throw unexpected("(" + time, "a time such as (1.23ms)", number)
        }
        builder.directive(.time, String(nanoseconds))
      }
      try builder.response(response, number)
    } else {
      throw unexpected(line, ">> or << and octets in hexadecimal", number)
    }
  }

  /// `1.23ms)` as nanoseconds; up to nine digits before the point and six after it.
  private static func nanoseconds(_ text: String) -> Int64? {
    guard text.hasSuffix("ms)") else { return nil }
    let parts = text.dropLast(3).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : ""
    guard let whole = parts.first, (1...9).contains(whole.count), fraction.count <= 6,
      (whole + fraction).allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return Int64(whole + fraction + String(repeating: "0", count: 6 - fraction.count))
  }

  private static func bare(_ line: String, _ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    let octets = try octets(line[...], number)
    guard builder.isWaiting else {
      if !isCommand(octets) { builder.note("taken for a command, though no known instruction reads like it", number) }
      return try builder.command(octets, number)
    }
    if isCommand(octets), !endsLikeResponse(octets) { return try builder.command(octets, number) }
    if !endsLikeResponse(octets) {
      builder.note("taken for a response, though it does not end in a status word", number)
    }
    try builder.response(octets, number)
  }

  private static func isCommand(_ octets: [UInt8]) -> Bool { InstructionNames.isKnownCommand(octets) }

  /// SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-4:2013, 5.6).
  private static func endsLikeResponse(_ octets: [UInt8]) -> Bool {
    guard octets.count >= 2 else { return false }
    let first = octets[octets.count - 2]
    return (0x61...0x6F).contains(first) || first >> 4 == 9
  }

  /// A line of a scriptor script, comments left out.
  private static func command(_ line: String, _ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    if line.lowercased() == "reset" { return }
    try builder.command(try octets(line.prefix { $0 != "#" }, number), number)
  }

  static func octets(_ text: Substring, _ number: Int) throws(TranscriptError) -> [UInt8] {
    do throws(OctetsError) {
      return try [UInt8](hex: text)
    } catch {
      throw TranscriptError(.notOctets(error), line: number)
    }
  }

  static func unexpected(_ read: String, _ expected: String, _ number: Int) -> TranscriptError {
    TranscriptError(.unexpected(read: "\"\(read)\"", expected: expected), line: number)
  }
}

internal import Octets
internal import Transcripts

extension RecordingFormat {
  /// cardpeek's log: `C:<command>:<SW>:<response>` and `R:<answer to reset>`.
  public static let cardpeekLog = RecordingFormat(name: "cardpeek", title: "cardpeek log", reader: CardpeekLog.self) {
    $0.text.begins(with: $0.place == .leadingComment ? "# cardpeek" : "C:")
      || $0.place != .leadingComment && $0.text.begins(with: "R:")
  }

  /// The output of opensc-tool: `Sending: <hex>` and `Received (SW1=0x90, SW2=0x00):` with a hexadecimal dump.
  public static let openscOutput = RecordingFormat(
    name: "opensc-tool", title: "opensc-tool output", reader: OpenSCOutput.self
  ) { $0.text.begins(with: "Sending: ") || $0.text.begins(with: "Received (SW1=") }

  /// The output of pyscard's `ConsoleCardConnectionObserver`: `> <hex>` and `< <hex>` between `connecting to` a reader
  /// and `disconnecting from` it.
  public static let pyscardOutput = RecordingFormat(
    name: "pyscard", title: "pyscard output", reader: PyscardOutput.self
  ) { $0.text.begins(with: "connecting to ") }

  /// The output of scriptor: `> <hex>` and `< <hex> : <meaning>`.
  public static let scriptorOutput = RecordingFormat(
    name: "scriptor-output", title: "scriptor output", reader: ScriptorOutput.self
  ) { line in
    // In replies, `> ` begins a quoted line of any other log.
    if let sent = line.text.after("> ") { return sent.begins(with: "reset") || sent.prefix(2).allSatisfy(\.isHexDigit) }
    return ["< OK:", "Using T="].contains { line.text.begins(with: $0) }
  }
}

/// Reads `C:<command>:<SW, four digits>:<response>` and `R:<answer to reset>`.
private struct CardpeekLog: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if line.begins(with: "#") { return }
    let fields = line.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 2, fields[0] == "R" {
      return builder.header("ATR", try [UInt8](hex: fields[1], line: number).hex)
    }
    guard fields.count == 4, fields[0] == "C" else {
      throw TranscriptError(quoting: line, expected: "C:command:SW:response or R:answer to reset", line: number)
    }
    let status = try [UInt8](hex: fields[2], line: number)
    guard status.count == 2 else {
      throw TranscriptError(quoting: String(fields[2]), expected: "a status word", line: number)
    }
    try builder.command(try [UInt8](hex: fields[1], line: number), line: number)
    try builder.response(try [UInt8](hex: fields[3], line: number) + status, line: number)
  }
}

/// Reads the lines of each `-s` of opensc-tool.
private struct OpenSCOutput: LogReader {
  private var status: [UInt8]?
  private var data: [UInt8] = []

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if let digits = line.after("Sending: ") {
      try endResponse(number, &builder)
      try builder.command(try [UInt8](hex: digits, line: number), line: number)
    } else if let text = line.after("Received (SW1=0x") {
      try endResponse(number, &builder)
      let digits = text.split(separator: ", SW2=0x", maxSplits: 1)
      guard digits.count == 2, digits[1].prefix(2).count == 2 else {
        throw TranscriptError(quoting: line, expected: "Received (SW1=0x90, SW2=0x00)", line: number)
      }
      status = try [UInt8](hex: digits[0] + digits[1].prefix(2), line: number)
    } else if status != nil {
      guard data.count <= Transcript.Exchange.responseCounts.upperBound else {
        throw TranscriptError(quoting: line, expected: "the end of the response", line: number)
      }
      data += try HexDump.octets(line[...], line: number)
    }
  }

  mutating func finish(_ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    try endResponse(number, &builder)
  }

  private mutating func endResponse(_ number: Int, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let status else { return }
    try builder.loggedResponse(data + status, line: number)
    self.status = nil
    data = []
  }
}

/// Reads each command after `> ` and its response after `< `, where `[]` stands for no data and a byte of the status
/// word below 10 may have one digit.
private struct PyscardOutput: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if let digits = line.after("> ") {
      try builder.command(try [UInt8](hex: digits, line: number), line: number)
    } else if let text = line.after("< ") {
      let words = text.split(separator: " ").filter { $0 != "[]" }
      let digits = words.map { $0.count == 1 ? "0" + $0 : $0 }.joined()
      try builder.loggedResponse(try [UInt8](hex: digits[...], line: number), line: number)
    }
  }
}

/// Reads each command after `> ` and its response after `< `, which may span lines up to a colon.
private struct ScriptorOutput: LogReader {
  private var response: (text: String, line: Int)?

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if let digits = line.after("< OK: ") {
      builder.header("ATR", try [UInt8](hex: digits, line: number).hex)
    } else if let text = line.after("< ") {
      response = ("", number)
      try add(text, &builder)
    } else if let text = line.after("> ") {
      response = nil
      if text != "RESET" { try builder.command(try [UInt8](hex: text, line: number), line: number) }
    } else if let name = line.after("Using "), name.hasSuffix(" protocol") {
      builder.header("PROTOCOL", String(name.dropLast(9)))
    } else if response != nil {
      try add(line[...], &builder)
    }
  }

  private mutating func add(_ text: Substring, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let (before, line) = response else { return }
    guard before.utf8.count + text.utf8.count <= Transcript.maximumLineLength else {
      throw TranscriptError(
        .unexpected(found: "a longer response", expected: "at most \(Transcript.maximumLineLength) characters"),
        line: line)
    }
    let colon = text.firstIndex(of: ":")
    let joined = before + " " + text[..<(colon ?? text.endIndex)]
    response = colon == nil ? (joined, line) : nil
    if colon != nil { try builder.loggedResponse(try [UInt8](hex: joined[...], line: line), line: line) }
  }
}

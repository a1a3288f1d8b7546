internal import Octets

/// cardpeek's log: `C:<command>:<SW, four digits>:<response>` and `R:<answer to reset>`.
struct CardpeekLog: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if line.hasPrefix("#") { return }
    let fields = line.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 2, fields[0] == "R" {
      return builder.header("ATR", try ImportedLine.octets(fields[1], number).hex)
    }
    guard fields.count == 4, fields[0] == "C" else {
      throw ImportedLine.unexpected(line, "C:command:SW:response or R:answer to reset", number)
    }
    let status = try ImportedLine.octets(fields[2], number)
    guard status.count == 2 else { throw ImportedLine.unexpected(String(fields[2]), "a status word", number) }
    try builder.command(try ImportedLine.octets(fields[1], number), number)
    try builder.response(try ImportedLine.octets(fields[3], number) + status, number)
  }
}

/// What scriptor prints: each command after `> `, its answer after `< `, wrapped, up to a colon and its meaning.
struct ScriptorOutput: LogReader {
  private var answer: (text: String, line: Int)?

  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if let text = line[...].after("< OK: ") {
      builder.header("ATR", try ImportedLine.octets(text, number).hex)
    } else if let text = line[...].after("< ") {
      answer = ("", number)
      try add(text, &builder)
    } else if let text = line[...].after("> ") {
      answer = nil
      if text != "RESET" { try builder.command(try ImportedLine.octets(text, number), number) }
    } else if let name = line[...].after("Using "), name.hasSuffix(" protocol") {
      builder.header("PROTOCOL", String(name.dropLast(9)))
    } else if answer != nil {
      try add(line[...], &builder)
    }
  }

  private mutating func add(_ text: Substring, _ builder: inout ImportBuilder) throws(TranscriptError) {
    guard let (before, line) = answer else { return }
    guard before.utf8.count + text.utf8.count <= Transcript.maximumLineLength else {
      throw ImportedLine.fault("a longer answer", "at most \(Transcript.maximumLineLength) characters", line)
    }
    let colon = text.firstIndex(of: ":")
    let joined = before + " " + text[..<(colon ?? text.endIndex)]
    answer = colon == nil ? (joined, line) : nil
    if colon != nil { try builder.answer(try ImportedLine.octets(joined[...], line), line) }
  }
}

/// What pyscard's observer prints: each command after `> `, its answer after `< `, where `[]` stands for no data and a
/// status word's octet below 10 may have one digit.
struct PyscardOutput: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if let text = line[...].after("> ") {
      try builder.command(try ImportedLine.octets(text, number), number)
    } else if let text = line[...].after("< ") {
      let words = text.split(separator: " ").filter { $0 != "[]" }
      try builder.answer(
        try ImportedLine.octets(words.map { $0.count == 1 ? "0" + $0 : $0 }.joined()[...], number), number)
    }
  }
}

/// A script for scriptor: commands, `reset`, comments. Our own keep the answers in comments, `# < <hex>`.
struct ScriptorScript: LogReader {
  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if let text = line[...].after("# < "), let octets = try? ImportedLine.octets(text, number), builder.isWaiting {
      try builder.answer(octets, number)
    } else if line.hasPrefix("# ATR: "), let octets = try? ImportedLine.octets(line.dropFirst(7), number) {
      builder.header("ATR", octets.hex)
    } else if line.hasPrefix("# PROTOCOL: ") {
      builder.header("PROTOCOL", line.dropFirst(12).trimmed)
    } else if line.hasPrefix("# scriptor") {
      return
    } else if line.hasPrefix("#") {
      builder.comment(String(line.dropFirst()))
    } else {
      try ImportedLine.read(line, number, .scriptorScript, into: &builder)
    }
  }
}

/// What opensc-tool prints for each `-s`.
struct OpenSCOutput: LogReader {
  private var status: [UInt8]?
  private var data: [UInt8] = []

  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if let text = line[...].after("Sending: ") {
      try close(number, &builder)
      try builder.command(try ImportedLine.octets(text, number), number)
    } else if let text = line[...].after("Received (SW1=0x") {
      try close(number, &builder)
      let digits = text.split(separator: ", SW2=0x", maxSplits: 1)
      guard digits.count == 2, digits[1].prefix(2).count == 2 else {
        throw ImportedLine.unexpected(line, "Received (SW1=0x90, SW2=0x00)", number)
      }
      status = try ImportedLine.octets(digits[0] + digits[1].prefix(2), number)
    } else if status != nil {
      guard data.count <= Transcript.Exchange.responseCounts.upperBound else {
        throw ImportedLine.unexpected(line, "the end of the response", number)
      }
      data += try HexDump.octets(line[...], number)
    }
  }

  mutating func finish(_ line: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    try close(line, &builder)
  }

  private mutating func close(_ number: Int, _ builder: inout ImportBuilder) throws(TranscriptError) {
    guard let status else { return }
    try builder.answer(data + status, number)
    self.status = nil
    data = []
  }
}

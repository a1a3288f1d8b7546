internal import Octets

/// Reads the log of another tool, line by line. What is no part of an exchange is passed over.
protocol LogReader {
  init()
  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError)
  /// After the last line.
  mutating func finish(_ line: Int, into builder: inout ImportBuilder) throws(TranscriptError)
}

extension LogReader {
  mutating func finish(_ line: Int, into builder: inout ImportBuilder) throws(TranscriptError) {}

  fileprivate static func read(_ text: String, into builder: inout ImportBuilder) throws(TranscriptError) {
    var reader = Self()
    let lines = try Transcript.lines(of: text)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      try reader.read(line.withoutEscapes, index + 1, into: &builder)
    }
    try reader.finish(lines.count, into: &builder)
  }
}

extension ImportBuilder {
  /// Reads a text in a syntax that is more than single lines; false when it is none of those.
  mutating func readLog(_ text: String, _ syntax: TranscriptSyntax) throws(TranscriptError) -> Bool {
    switch syntax {
    case .pcscdLog: try PCSCDLog.read(text, into: &self)
    case .pcscSpyLog: try PCSCSpyLog.read(text, into: &self)
    case .libnfcLog: try LibNFCLog.read(text, into: &self)
    case .cardpeekLog: try CardpeekLog.read(text, into: &self)
    case .scriptorOutput: try ScriptorOutput.read(text, into: &self)
    case .scriptorScript: try ScriptorScript.read(text, into: &self)
    case .openscOutput: try OpenSCOutput.read(text, into: &self)
    case .pyscardOutput: try PyscardOutput.read(text, into: &self)
    case .proxmarkList: try ProxmarkList.read(text, into: &self)
    case .proxmarkTrace: try ProxmarkTrace.read(Array(text.utf8), into: &self)
    case .dump, .bareLines, .sendAndResponse, .requestList, .arrows, .json: return false
    }
    return true
  }

  /// Takes an answer; one without a command is left out, for logs may begin in the middle.
  mutating func answer(_ octets: [UInt8], _ line: Int, after nanoseconds: Int64? = nil) throws(TranscriptError) {
    guard isWaiting else {
      return leaveOut("an answer without a command, \(octets.count) octets", line)
    }
    if octets.count < 2 { return torn("an answer of \(octets.count) octets, which is no response", line) }
    if let nanoseconds, nanoseconds >= 0 { directive(.time, String(nanoseconds)) }
    try response(octets, line)
  }

  /// Says why a command has no answer.
  mutating func torn(_ why: String, _ line: Int) {
    guard isWaiting else { return }
    comment(why)
    note(why, line)
    directive(.torn, "transmissionFailed")
  }
}

extension ImportedLine {
  /// A fault whose reading is told in words, not quoted.
  static func fault(_ read: String, _ expected: String, _ number: Int) -> TranscriptError {
    TranscriptError(.unexpected(read: read, expected: expected), line: number)
  }
}

/// Dumps such as `0010 00 A4 04 00   ....`: sixteen octets a line, then their characters.
enum HexDump {
  static func octets(_ text: Substring, _ number: Int) throws(TranscriptError) -> [UInt8] {
    try ImportedLine.octets(text.prefix(16 * 3), number)
  }
}

extension String {
  /// Without the sequences that colour a terminal's text: ESC, `[`, up to a letter.
  var withoutEscapes: String {
    guard utf8.contains(0x1B) else { return self }
    var kept: [UInt8] = []
    var isInside = false
    for octet in utf8 {
      if octet == 0x1B {
        isInside = true
      } else if !isInside {
        kept.append(octet)
      } else if (0x41...0x5A).contains(octet & 0xDF), octet != 0x5B {
        isInside = false
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }
}

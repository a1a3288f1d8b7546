internal import Transcripts

extension RecordingFormat {
  /// The output of libpcscspy (`THREAD@…`), or the text that `pcsc-spy` makes of it.
  public static let pcscSpyLog = RecordingFormat(name: "pcsc-spy", title: "pcsc-spy log", reader: PCSCSpyLog.self) {
    guard $0.place != .leadingComment else { return false }
    return $0.text.contains("@>|") || $0.text.contains("@<|")
      || $0.text.begins(with: "SCard") && $0.text.allSatisfy(\.isLetter)
  }
}

/// Reads calls of `SCardTransmit`: the command, then the response, as bytes with spaces or as a dump. Calls of several
/// threads may be mixed.
private struct PCSCSpyLog: LogReader {
  private struct Call {
    let line: Int
    var start: Int64?
    var buffers: [[UInt8]] = []
    var argument = 0
  }

  // No program drives a card with more threads. A log with more is damaged.
  private static let maximumThreads = 256

  private var calls: [Substring: Call] = [:]
  private var first: Int64?
  private var printed: Call?

  mutating func read(_ line: String, _ number: Int, into builder: inout TranscriptBuilder) throws(TranscriptError) {
    if let at = line.firstIndex(of: "@"), line[..<at].allSatisfy({ $0.isHexDigit }) {
      try raw(line[..<at], line[at...].dropFirst(), number, &builder)
    } else {
      try printed(line[...], number, &builder)
    }
  }

  private mutating func raw(
    _ thread: Substring, _ text: Substring, _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    if text.begins(with: ">|") {
      guard parts.count >= 4, parts[3] == "SCardTransmit", calls.count < Self.maximumThreads else {
        calls[thread] = nil
        return
      }
      calls[thread] = Call(line: number, start: Self.microseconds(parts))
    } else if text.begins(with: "<|") {
      guard let call = calls.removeValue(forKey: thread) else { return }
      let code = parts.last.map(String.init) ?? ""
      try close(call, Self.microseconds(parts), code.hasSuffix("0x00000000"), number, &builder)
    } else if var call = calls[thread] {
      call.argument += 1
      // The arguments are handle, protocol, size of its structure, length and command, then protocol, size, length and
      // response.
      if [5, 9].contains(call.argument), text != "NULL" {
        call.buffers.append(try [UInt8](hex: text, line: number))
      }
      calls[thread] = call
    }
  }

  private mutating func printed(
    _ line: Substring, _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    if line.begins(with: "SCard") {
      printed = line == "SCardTransmit" ? Call(line: number) : nil
    } else if line.begins(with: "=>"), let call = printed {
      printed = nil
      try close(call, nil, line.contains("0x00000000"), number, &builder)
    } else if line.hasSuffix("bSendBuffer") || line.hasSuffix("bRecvBuffer") {
      printed?.buffers.append([])
    } else if let call = printed, let last = call.buffers.indices.last, let octets = Self.dumped(line) {
      guard call.buffers[last].count <= Transcript.Exchange.responseCounts.upperBound else {
        throw TranscriptError(quoting: String(line), expected: "the end of a buffer", line: number)
      }
      printed?.buffers[last] += try HexDump.octets(octets, line: number)
    }
  }

  private mutating func close(
    _ call: Call, _ end: Int64?, _ isSuccess: Bool, _ number: Int, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard let command = call.buffers.first else { return builder.leaveOut("a call without a command", line: call.line) }
    try builder.command(command, line: call.line)
    if let start = call.start {
      first = first ?? start
      let (elapsed, overflow) = start.subtractingReportingOverflow(first ?? start)
      if !overflow, (0...Self.maximumElapsed).contains(elapsed) {
        builder.commandDirective(.instant, String(elapsed * 1000))
      }
    }
    guard isSuccess, call.buffers.count > 1 else { return builder.tear("SCardTransmit failed", line: number) }
    let time = call.start.flatMap { start in end.map { $0.subtractingReportingOverflow(start).partialValue } }
    try builder.loggedResponse(
      call.buffers[1], line: number, after: time.flatMap { (0...Self.maximumElapsed).contains($0) ? $0 * 1000 : nil })
  }

  // A year in microseconds. A longer time comes from a damaged line.
  private static let maximumElapsed: Int64 = 31_536_000_000_000

  /// Returns the time of `>|seconds|microseconds|…` in microseconds, or nil.
  private static func microseconds(_ parts: [Substring]) -> Int64? {
    guard parts.count >= 3, let seconds = Int64(parts[1]), let rest = Int64(parts[2]), (0..<1_000_000).contains(rest),
      (0...1_000_000_000_000).contains(seconds)
    else { return nil }
    return seconds * 1_000_000 + rest
  }

  /// Returns the part of `i  0010 46 30 31 00    F01.` after the offset, or nil.
  private static func dumped(_ line: Substring) -> Substring? {
    guard line.begins(with: "i  ") || line.begins(with: "o  ") else { return nil }
    let rest = line.dropFirst(3)
    let offset = rest.prefix { $0.isHexDigit }
    return offset.count >= 4 ? rest.dropFirst(offset.count + 1) : nil
  }
}

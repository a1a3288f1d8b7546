internal import Octets

/// What libpcscspy writes (`THREAD@…`), or what `pcsc-spy` prints of it.
///
/// Each call of `SCardTransmit` holds the command, then the response, as octets with spaces, or as a dump. The calls
/// of several threads may be mixed.
struct PCSCSpyLog: LogReader {
  private struct Call {
    let line: Int
    var start: Int64?
    var buffers: [[UInt8]] = []
    var argument = 0
  }

  // No card is driven by more threads; a log with more is a damaged one.
  private static let maximumThreads = 256

  private var calls: [Substring: Call] = [:]
  private var first: Int64?
  private var printed: Call?

  mutating func read(_ line: String, _ number: Int, into builder: inout ImportBuilder) throws(TranscriptError) {
    if let at = line.firstIndex(of: "@"), line[..<at].allSatisfy({ $0.isHexDigit }) {
      try raw(line[..<at], line[at...].dropFirst(), number, &builder)
    } else {
      try printed(line[...], number, &builder)
    }
  }

  private mutating func raw(
    _ thread: Substring, _ text: Substring, _ number: Int, _ builder: inout ImportBuilder
  ) throws(TranscriptError) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    if text.hasPrefix(">|") {
      guard parts.count >= 4, parts[3] == "SCardTransmit", calls.count < Self.maximumThreads else {
        calls[thread] = nil
        return
      }
      calls[thread] = Call(line: number, start: Self.microseconds(parts))
    } else if text.hasPrefix("<|") {
      guard let call = calls.removeValue(forKey: thread) else { return }
      let code = parts.last.map(String.init) ?? ""
      try close(call, Self.microseconds(parts), code.hasSuffix("0x00000000"), number, &builder)
    } else if var call = calls[thread] {
      call.argument += 1
      // Handle, protocol, its structure's size, length, command; then the same without a handle for the response.
      if [5, 9].contains(call.argument), text != "NULL" {
        call.buffers.append(try ImportedLine.octets(text, number))
      }
      calls[thread] = call
    }
  }

  private mutating func printed(
    _ line: Substring, _ number: Int, _ builder: inout ImportBuilder
  ) throws(TranscriptError) {
    if line.hasPrefix("SCard") {
      printed = line == "SCardTransmit" ? Call(line: number) : nil
    } else if line.hasPrefix("=>"), let call = printed {
      printed = nil
      try close(call, nil, line.contains("0x00000000"), number, &builder)
    } else if line.hasSuffix("bSendBuffer") || line.hasSuffix("bRecvBuffer") {
      printed?.buffers.append([])
    } else if let call = printed, let last = call.buffers.indices.last, let octets = Self.dumped(line) {
      guard call.buffers[last].count <= Transcript.Exchange.responseCounts.upperBound else {
        throw ImportedLine.unexpected(String(line), "the end of a buffer", number)
      }
      printed?.buffers[last] += try HexDump.octets(octets, number)
    }
  }

  private mutating func close(
    _ call: Call, _ end: Int64?, _ isSuccess: Bool, _ number: Int, _ builder: inout ImportBuilder
  ) throws(TranscriptError) {
    guard let command = call.buffers.first else { return builder.leaveOut("a call without a command", call.line) }
    try builder.command(command, call.line)
    if let start = call.start {
      first = first ?? start
      let (elapsed, overflow) = start.subtractingReportingOverflow(first ?? start)
      if !overflow, (0...Self.maximumElapsed).contains(elapsed) {
        builder.amendCommand(.directive(.instant, String(elapsed * 1000)))
      }
    }
    guard isSuccess, call.buffers.count > 1 else { return builder.torn("SCardTransmit failed", number) }
    let time = call.start.flatMap { start in end.map { $0.subtractingReportingOverflow(start).partialValue } }
    try builder.answer(
      call.buffers[1], number, after: time.flatMap { (0...Self.maximumElapsed).contains($0) ? $0 * 1000 : nil })
  }

  // A year; longer is a damaged line.
  private static let maximumElapsed: Int64 = 31_536_000_000_000

  /// `>|seconds|microseconds|…` in microseconds.
  private static func microseconds(_ parts: [Substring]) -> Int64? {
    guard parts.count >= 3, let seconds = Int64(parts[1]), let rest = Int64(parts[2]), (0..<1_000_000).contains(rest),
      (0...1_000_000_000_000).contains(seconds)
    else { return nil }
    return seconds * 1_000_000 + rest
  }

  /// `i  0010 46 30 31 00    F01.` after the offset.
  private static func dumped(_ line: Substring) -> Substring? {
    guard line.hasPrefix("i  ") || line.hasPrefix("o  ") else { return nil }
    let rest = line.dropFirst(3)
    let offset = rest.prefix { $0.isHexDigit }
    return offset.count >= 4 ? rest.dropFirst(offset.count + 1) : nil
  }
}

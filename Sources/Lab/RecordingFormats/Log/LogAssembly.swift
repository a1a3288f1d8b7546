internal import EMVDecoding
internal import ISO7816
internal import Octets
internal import Transcripts

/// Puts the items of a log together as exchanges.
struct LogAssembly {
  private var first: Int64?
  private var sent: Int64?
  private var hasExchange = false
  private var duration: Int64?
  private var held: LogItem?
  /// The words without a known direction that stood before responses.
  private var responseLabels: Set<LogLabel> = []
  /// The lines of a command whose bytes the log does not have.
  private var withoutBytes: LogItem?
  /// Whether the response to the last command was lost, so that no later line can be it.
  private var hasLostResponse = false
  private(set) var otherLineCount = 0
  private var answer: [UInt8]?
  /// The label of the last command.
  private var latestLabel: LogLabel?

  /// Takes an event.
  mutating func take(_ event: LogEvent, _ labels: LogLabels, _ builder: inout TranscriptBuilder) throws(TranscriptError)
  {
    switch event {
    case .item(let item): try take(item, labels, &builder)
    case .reset(let answer, let line): reset(answer, line, &builder)
    case .protocolName(let name): builder.header("PROTOCOL", name)
    case .duration(let nanoseconds): builder.setTimeOfLastResponse(nanoseconds)
    case .comment(let text): builder.comment(text)
    case .other: otherLineCount += 1
    }
  }

  private mutating func take(
    _ item: LogItem, _ labels: LogLabels, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    guard item.label.family != .none else { return try takeUnnamed(item, labels, &builder) }
    if item.isUnreadable || item.isCut { return unreadable(item, labels, &builder) }
    if held != nil, item.label.side == .response, LogItem.endsWithStatus(item.response) { try release(&builder) }
    switch labels.side(of: item, isWaiting: builder.isWaiting) {
    case .command where item.octets.isEmpty:
      noteCommandWithoutBytes(before: item, &builder)
      withoutBytes = item
    case .command:
      noteCommandWithoutBytes(before: item, &builder)
      try command(item, &builder)
    case .response where item.response.isEmpty: otherLineCount += item.lines.count
    case .response:
      if withoutBytes != nil { builder.unknownCommand() }
      withoutBytes = nil
      try response(item, &builder)
    case nil: otherLineCount += item.lines.count
    }
  }

  /// Names a command without bytes unless it is the heading of the command on the next line.
  private mutating func noteCommandWithoutBytes(before next: LogItem, _ builder: inout TranscriptBuilder) {
    guard let item = withoutBytes else { return }
    withoutBytes = nil
    if !next.octets.isEmpty, next.label != item.label, next.lines.lowerBound == item.lines.upperBound + 1 { return }
    builder.note("the log has no bytes of a command", line: item.lines.lowerBound)
  }

  private mutating func command(_ item: LogItem, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    (held, withoutBytes, hasLostResponse) = (nil, nil, false)
    // A program and its library may both log a command.
    if builder.openCommand == item.octets, item.label != latestLabel {
      otherLineCount += item.lines.count
      return
    }
    latestLabel = item.label
    if let instant = item.instant { first = first ?? instant }
    if let comment = item.comment { builder.comment(comment) }
    if builder.isWaiting { builder.tear("the log has no response", line: item.lines.lowerBound) }
    try builder.command(item.octets, lines: item.lines)
    sent = item.instant
    hasExchange = true
    if let instant = item.instant, let first, instant >= first {
      builder.commandDirective(.instant, String(instant - first))
    }
    if let count = item.statedDataCount,
      let data = (try? CommandAPDU(parsing: item.octets.span))?.data.count, data != count
    {
      builder.note("\(data.bytes) of command data, where the log states \(count)", line: item.lines.upperBound)
    }
    if let count = item.statedCount, count != item.octets.count {
      builder.note(
        "\(item.octets.count.bytes) of a command, where the log states \(count)", line: item.lines.upperBound)
    }
  }

  private mutating func response(_ item: LogItem, _ builder: inout TranscriptBuilder) throws(TranscriptError) {
    let line = item.lines.lowerBound
    let octets = item.response
    if hasLostResponse {
      return builder.leaveOut("a response after one that was lost, \(octets.count.bytes)", line: line)
    }
    if builder.isWaiting, let reason = Self.loss(of: item) {
      hasLostResponse = true
      return builder.tear(reason, line: line)
    }
    if let comment = item.comment { builder.comment(comment) }
    let measured = item.instant.flatMap { end in sent.map { end - $0 } }
    try builder.loggedResponse(octets, lines: item.lines, after: item.duration ?? measured)
  }

  /// Digits that cannot be read are never replaced by those of another line.
  private mutating func unreadable(_ item: LogItem, _ labels: LogLabels, _ builder: inout TranscriptBuilder) {
    guard let side = labels.side(of: item, isWaiting: builder.isWaiting) else {
      otherLineCount += 1
      return
    }
    let line = item.lines.lowerBound
    if side == .response {
      hasLostResponse = hasLostResponse || builder.isWaiting
      return builder.tear("the bytes of the response cannot be read", line: line)
    }
    hasLostResponse = false
    builder.unknownCommand()
    builder.note("the bytes of a command cannot be read", line: line)
  }

  /// Why a response is not whole; nil for a whole one.
  private static func loss(of item: LogItem) -> String? {
    let octets = item.response
    if item.isShort, let count = item.statedCount, octets.count < count {
      return "cut off: \(octets.count.bytes) of the response, where the log states \(count)"
    }
    if octets.count >= 2, !LogItem.endsWithStatus(octets) {
      return "cut off: the response of \(octets.count.bytes) does not end in a status word"
    }
    if let missing = TemplateEnd.missingCount(octets) {
      return "cut off: the template of the response states \(missing.bytes) more than follow"
    }
    return nil
  }

  private mutating func reset(_ answer: [UInt8]?, _ line: Int, _ builder: inout TranscriptBuilder) {
    if hasExchange {
      hasExchange = false
      builder.comment("a new connection to a card")
      builder.note("another connection to a card begins here", line: line)
    }
    guard let answer else { return }
    if let before = self.answer, before != answer { builder.comment("ATR: \(answer.hex)") }
    self.answer = self.answer ?? answer
    builder.header("ATR", answer.hex)
  }

  /// Lines that name no direction are read in turn, where no line of the log names one.
  private mutating func takeUnnamed(
    _ item: LogItem, _ labels: LogLabels, _ builder: inout TranscriptBuilder
  ) throws(TranscriptError) {
    if let command = held, isResponse(item, to: command) {
      if command.label != item.label { responseLabels.insert(item.label) }
      try release(&builder)
      return try response(item, &builder)
    }
    if held != nil { otherLineCount += 1 }
    held = nil
    if item.followsWhole {
      builder.note(
        "left out: \(item.octets.count.bytes) after a whole command or response", line: item.lines.lowerBound)
    }
    guard !labels.hasDirections, item.octets.count > 4, InstructionNames.isKnownCommand(item.octets) else {
      otherLineCount += item.lines.count
      return
    }
    held = item
  }

  private mutating func release(_ builder: inout TranscriptBuilder) throws(TranscriptError) {
    guard let item = held else { return }
    try command(item, &builder)
  }

  /// Whether an item without a direction is the response to a command without one: read in turn, or with another word before
  /// it on one of the next lines, as in languages that this module does not know.
  private func isResponse(_ item: LogItem, to command: LogItem) -> Bool {
    if responseLabels.contains(item.label), LogItem.endsWithStatus(item.octets) { return true }
    let isNear = item.lines.lowerBound - command.lines.upperBound <= Self.nearLineCount
    return (command.label == item.label || isNear) && Self.isWholeResponse(item.octets)
  }

  private static let nearLineCount = 3

  /// Whether bytes are a status word, with whole data objects before it or alone.
  private static func isWholeResponse(_ octets: [UInt8]) -> Bool {
    guard LogItem.endsWithStatus(octets) else { return false }
    if octets.count == 2 { return true }
    return TemplateEnd.isWhole(octets.dropLast(2))
  }
}

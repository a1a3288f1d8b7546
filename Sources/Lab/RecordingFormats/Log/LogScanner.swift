internal import EMVDecoding
internal import ISO7816
internal import Transcripts

/// Finds the items in the lines of a log, one line after the other.
struct LogScanner {
  private(set) var events: [LogEvent] = []
  private var open: LogItem?
  private var clock = LogClock()

  /// Returns the events so far, and forgets them.
  mutating func takeEvents() -> [LogEvent] {
    defer { events = [] }
    return events
  }

  /// Reads a line with the blanks before it.
  mutating func read(_ line: String, _ number: Int) {
    let text = Array(line.utf8)
    let indentation = text.prefix { $0 == 0x20 || $0 == 0x09 }.count
    guard indentation < text.count else { return }
    if let row = continuation(text, indentation) {
      add(row.octets, number)
      if row.isLast { close() }
      return
    }
    let (groups, plain) = LogGroups.split(text)
    clock.read(text)
    let runs = HexadecimalRun.all(in: plain)
    if addData(runs, of: plain, number) { return }
    if let pair = LinePair(runs, of: plain, lines: number...number, indentation: indentation) {
      begin(pair, groups)
    } else if let command = FieldLine.command(plain) {
      begin(
        LogItem(
          label: LogLabel(pairedAs: .command), lines: number...number, octets: command, indentation: indentation,
          isOpen: false))
    } else if let packet = NCIPacket(plain) {
      begin(packet, number, indentation)
    } else if let status = Self.splitStatus(plain) {
      statusLine(status, groups, plain, indentation, number)
    } else if Self.isConnection(plain), notice(plain, groups, number) {
      return
    } else if Self.isComment(text[indentation...]) {
      close()
      events.append(.comment(String(decoding: text[(indentation + 1)...], as: UTF8.self)))
    } else if let item = item(runs, of: plain, groups, indentation, number) {
      begin(item)
    } else if !notice(plain, groups, number) {
      if var item = unnamed(runs, of: plain, indentation, number) ?? unreadable(plain, indentation, number) {
        item.followsWhole = item.label.key.allSatisfy { $0 == " " } && open?.isWholeItself ?? false
        return begin(item)
      }
      if var item = header(plain, groups, indentation, number) {
        item.isOpen = true
        begin(item)
      } else {
        close()
        events.append(.other(line: number))
      }
    }
  }

  /// Whether a line is a comment. GlobalPlatformPro writes `# A>> …` before what it sends.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: "#") else { return false }
    // A number may stand before the arrow: `#1 --> 00A40400`.
    let rest: ArraySlice<UInt8> = text.dropFirst().drop { $0 <= 0x20 || $0.isDigit }
    return !rest.prefix(3).contains { $0 == 0x3C || $0 == 0x3E }
  }

  /// Ends the last item.
  mutating func close() {
    guard let item = open else { return }
    open = nil
    events.append(.item(item))
  }

  /// Ends the last item where it shows itself that its bytes are complete.
  mutating func closeWhole() {
    if open?.isWholeForNow ?? false { close() }
  }

  private mutating func begin(_ item: LogItem) {
    var item = item
    // The status word of a response may stand on a line before its data.
    if let before = open, before.label.isStatus, before.octets.isEmpty, item.octets.isEmpty, item.status.isEmpty,
      item.label.side == .response
    {
      (item.status, item.lines) = (before.status, before.lines.lowerBound...item.lines.upperBound)
    } else {
      close()
    }
    open = item
  }

  /// Takes a command and its response that stand on one line.
  private mutating func begin(_ pair: LinePair, _ groups: LogGroups) {
    for var item in [pair.command, pair.response] {
      item.instant = clock.instant
      if item.label.side == .response { item.duration = groups.duration }
      begin(item)
    }
    close()
  }

  /// Takes what a packet to or from an NFC chip carries. Others are messages to the chip itself.
  private mutating func begin(_ packet: NCIPacket, _ number: Int, _ indentation: Int) {
    guard let octets = packet.octets else {
      events.append(.other(line: number))
      return
    }
    var item = LogItem(
      label: packet.label, lines: number...number, octets: octets, indentation: indentation, isOpen: false)
    item.instant = clock.instant
    begin(item)
  }

  /// Adds the data of a response whose status word stands on the line before: `dump: 6F10…`. Returns whether the line has them.
  private mutating func addData(_ runs: [HexadecimalRun], of plain: [UInt8], _ number: Int) -> Bool {
    guard var item = open, item.label.side == .response, item.octets.isEmpty, item.status.count == 2,
      item.lines.upperBound == number - 1, let run = runs.last, run.octets.count > 2,
      plain[run.range.upperBound...].allSatisfy({ $0 <= 0x20 }), !InstructionNames.isKnownCommand(run.octets),
      TemplateEnd.isWhole(run.octets[...]) || !LogItem.endsWithStatus(run.octets)
    else { return false }
    let words = String(decoding: plain[..<run.range.lowerBound], as: UTF8.self).lowercased()
      .split { !$0.isLetter }
    guard let word = words.last, ["data", "dump", "response", "resp", "recv", "rx"].contains(String(word)) else {
      return false
    }
    (item.octets, item.isOpen, item.lines) = (run.octets, true, item.lines.lowerBound...number)
    open = item
    return true
  }

  private mutating func add(_ octets: [UInt8], _ number: Int) {
    guard var item = open else { return }
    // A status word on the first line, and the data below it.
    if item.label.side == .response, item.status.isEmpty, item.octets.count == 2, item.statedCount == nil,
      LogItem.endsWithStatus(item.octets)
    {
      (item.status, item.octets) = (item.octets, [])
    }
    item.octets += octets
    item.lines = item.lines.lowerBound...number
    if let count = item.statedCount, item.octets.count >= count { item.isOpen = false }
    open = item
  }

  /// The bytes of a line that goes on with the open item; nil when the line is something else.
  private func continuation(_ text: [UInt8], _ indentation: Int) -> DumpLine? {
    guard let item = open, item.octets.count <= Transcript.Exchange.responseCounts.upperBound else { return nil }
    guard item.isOpen || item.isShort || indentation > item.indentation, !item.isWholeItself else { return nil }
    return DumpLine(text[indentation...])
  }

  /// A status word in two parts: `SW1=0x90, SW2=0x00`.
  private static func splitStatus(_ text: [UInt8]) -> [UInt8]? {
    guard let first = Self.value(after: "SW1", text), let second = Self.value(after: "SW2", text) else { return nil }
    return [first, second]
  }

  private static func value(after name: String, _ text: [UInt8]) -> UInt8? {
    guard let place = text.firstRange(of: Array(name.utf8)) else { return nil }
    var rest = text[place.upperBound...].drop { [0x20, 0x3A, 0x3D].contains($0) }
    if rest.starts(with: Array("0x".utf8)) { rest = rest.dropFirst(2) }
    guard let high = rest.first?.hexadecimalDigit, let low = rest.dropFirst().first?.hexadecimalDigit else {
      return nil
    }
    return high << 4 | low
  }

  private mutating func statusLine(
    _ status: [UInt8], _ groups: LogGroups, _ plain: [UInt8], _ indentation: Int, _ number: Int
  ) {
    if var item = open, item.label.side == .response, item.status.isEmpty, !LogItem.endsWithStatus(item.octets) {
      item.status = status
      item.isOpen = false
      open = item
      return
    }
    let label = LogLabel(endOf: Array("response:".utf8)[...])
    var item = LogItem(label: label, lines: number...number, status: status, indentation: indentation, isOpen: false)
    item.isOpen = plain.last { $0 > 0x20 } == 0x3A
    // The data may stand on the same line.
    if let run = HexadecimalRun.all(in: plain).first(where: { $0.octets.count > 2 }) { item.octets = run.octets }
    item.instant = clock.instant
    item.duration = groups.duration
    begin(item)
  }

  /// The item of a line with bytes after a direction. Of several, the longest counts: a sign that quotes may stand before the
  /// time.
  private func item(
    _ runs: [HexadecimalRun], of plain: [UInt8], _ groups: LogGroups, _ indentation: Int, _ number: Int
  ) -> LogItem? {
    var found: (run: HexadecimalRun, label: LogLabel)?
    for run in runs where run.octets.count > found?.run.octets.count ?? 0 {
      let label = LogLabel(endOf: plain[..<run.range.lowerBound])
      let isNumber = run.octets.count < 2 && plain[run.range.upperBound...].first { $0 > 0x20 }.map(\.isLetter) ?? false
      // A number before a word, as in `Sending 12 bytes`, is no byte.
      if label.family != .none, !isNumber { found = (run, label) }
    }
    guard let (run, label) = found else { return nil }
    let rest = plain[run.range.upperBound...].drop { $0 <= 0x20 }
    var item = LogItem(
      label: label, lines: number...number, octets: run.octets, indentation: indentation, isOpen: false)
    item.isOpen = rest.isEmpty && !(label.side == .response && run.octets.count == 2)
    item.statedCount = groups.count(for: label)
    item.statedDataCount = label.side == .response ? nil : groups.parts?.1
    item.comment = Self.comment(rest)
    item.instant = clock.instant
    item.duration = groups.duration
    if label.side == .response, let parts = Self.statusFirst(run.octets) {
      (item.status, item.octets, item.isOpen) = (parts.status, parts.data, false)
    } else if label.isStatus, run.octets.count == 2 {
      (item.status, item.octets, item.isOpen) = (run.octets, [], false)
    } else if !LogItem.endsWithStatus(run.octets), let status = Self.trailingStatus(plain, after: run) {
      item.status = status
    }
    if item.statedCount.map({ item.octets.count >= $0 }) ?? false { item.isOpen = false }
    return item
  }

  /// A response whose status word stands before its data on the same line: `9000 9F3602000E`.
  private static func statusFirst(_ octets: [UInt8]) -> (status: [UInt8], data: [UInt8])? {
    let (status, data) = (Array(octets.prefix(2)), octets.dropFirst(2))
    // 61 to 6F are also the tags of templates.
    guard status.first.map({ $0 >> 4 == 9 }) ?? false, TemplateEnd.isWhole(data), !TemplateEnd.isWhole(octets[...]),
      !TemplateEnd.isWhole(octets.dropLast(2))
    else { return nil }
    return (status, Array(data))
  }

  /// The item of a line that ends with bytes and names no direction.
  private func unnamed(
    _ runs: [HexadecimalRun], of plain: [UInt8], _ indentation: Int, _ number: Int
  ) -> LogItem? {
    guard let run = runs.last, plain[run.range.upperBound...].allSatisfy({ $0 <= 0x20 }) else {
      return nil
    }
    let key = String(decoding: plain[..<run.range.lowerBound].filter { !$0.isDigit }, as: UTF8.self)
    var item = LogItem(
      label: LogLabel(withoutDirection: key), lines: number...number, octets: run.octets, indentation: indentation,
      isOpen: false)
    item.instant = clock.instant
    return item
  }

  /// The text after `//`, `#` or `;`.
  private static func comment(_ rest: ArraySlice<UInt8>) -> String? {
    let marks = ["//", "#", ";"]
    guard let mark = marks.first(where: { rest.starts(with: Array($0.utf8)) }) else { return nil }
    let text = String(decoding: rest.dropFirst(mark.utf8.count), as: UTF8.self).trimmed
    return text.isEmpty ? nil : text
  }

  /// An item whose digits cannot be read: a direction, then a word that begins with a digit.
  private func unreadable(_ plain: [UInt8], _ indentation: Int, _ number: Int) -> LogItem? {
    let marks = plain.indices.filter { [0x3A, 0x3C, 0x3E].contains(plain[$0]) }
    for mark in marks.suffix(4).reversed() {
      let word = plain[(mark + 1)...].drop { $0 == 0x20 }.prefix { $0 > 0x20 }
      // Words such as `called` begin with a digit too.
      guard word.count > 1, word.first?.hexadecimalDigit != nil, word.allSatisfy(\.isWordPart),
        word.contains(where: \.isDigit)
      else { continue }
      let label = LogLabel(endOf: plain[...mark])
      guard label.family != .none else { continue }
      var item = LogItem(label: label, lines: number...number, indentation: indentation, isOpen: false)
      item.isUnreadable = true
      return item
    }
    return nil
  }

  /// A status word after the data of a response, such as `… SW: 9000`.
  private static func trailingStatus(_ plain: [UInt8], after run: HexadecimalRun) -> [UInt8]? {
    for status in HexadecimalRun.all(in: plain, from: run.range.upperBound) where status.octets.count == 2 {
      let between = plain[run.range.upperBound..<status.range.lowerBound]
      // A sign alone between the data and the status word.
      let isApart = between.allSatisfy { !$0.isWordPart } && between.contains { $0 == 0x7C || $0 == 0x2F || $0 == 0x3B }
      if isApart, TemplateEnd.isWhole(run.octets[...]), LogItem.endsWithStatus(status.octets) { return status.octets }
      let label = LogLabel(endOf: plain[..<status.range.lowerBound])
      if label.key.begins(with: "sw") || label.isStatus { return status.octets }
    }
    return nil
  }

  /// A line that names a direction and ends before the bytes: `Outgoing APDU (20 bytes):`.
  private func header(_ plain: [UInt8], _ groups: LogGroups, _ indentation: Int, _ number: Int) -> LogItem? {
    var end = plain[...]
    while let last = end.last, last <= 0x20 || last == 0x3D { end = end.dropLast() }
    guard let last = end.last else { return nil }
    let count = groups.statedCount
    guard last == 0x3A || count != nil else {
      return nil
    }
    let label = LogLabel(endOf: end)
    guard [.named, .sent, .inOut].contains(label.family) else { return nil }
    var item = LogItem(label: label, lines: number...number, indentation: indentation, isOpen: true)
    item.statedCount = count
    item.instant = clock.instant
    return item
  }

  /// Whether a line reports that a program connected to a card.
  private static func isConnection(_ plain: [UInt8]) -> Bool {
    ["SCardConnect(", "Using reader with a card", "connecting to "].contains {
      plain.firstRange(of: Array($0.utf8)) != nil
    }
  }

  /// Whether a line has an answer to reset, a protocol or a time.
  private mutating func notice(_ plain: [UInt8], _ groups: LogGroups, _ number: Int) -> Bool {
    let text = String(decoding: plain, as: UTF8.self)
    let isConnection = Self.isConnection(plain)
    let words = ["ATR", "RSET", "OK:", "Reset"]
    var answer: [UInt8]?
    if isConnection || words.contains(where: { text.contains($0) }) {
      answer = HexadecimalRun.all(in: plain).map(\.octets).first { $0.first == 0x3B || $0.first == 0x3F }
        .flatMap { (try? AnswerToReset(parsing: $0)) == nil ? nil : $0 }
    }
    var isNotice = false
    for mark in ["Attempting PTS to ", "Using ", "-> "] where text.contains(mark + "T=") {
      guard let start = text.utf8.firstRange(of: mark.utf8)?.upperBound else { continue }
      let name = String(text[start...].prefix { $0 == "T" || $0 == "=" || $0.isNumber })
      if name.utf8.count == 3 { events.append(.protocolName(name)) }
      isNotice = true
    }
    if isConnection || answer != nil {
      close()
      events.append(.reset(answer: answer, line: number))
      isNotice = true
    }
    if text.contains("ime used") || text.contains("lapsed"), let duration = LogGroups.duration(in: plain) {
      close()
      events.append(.duration(duration))
      isNotice = true
    }
    return isNotice
  }
}

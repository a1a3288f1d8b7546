internal import EMVDecoding

/// The bytes of one command or response of a log, with what the lines around them state.
struct LogItem {
  let label: LogLabel
  /// The lines, from 1.
  var lines: ClosedRange<Int>
  var octets: [UInt8] = []
  /// The status word where the log has it apart from the data.
  var status: [UInt8] = []
  /// The comment after the bytes.
  var comment: String?
  /// How many bytes of command data the log states.
  var statedDataCount: Int?
  /// The bytes that a command with that many data has without Le.
  private var leastCount: Int? { statedDataCount.map { $0 > 0 ? 5 + $0 : 4 } }
  /// Whether bytes of a command are missing, after the last line.
  var isCut: Bool { leastCount.map { octets.count < $0 } ?? false }
  /// How many bytes the log states; nil when it does not.
  var statedCount: Int?
  /// The time in nanoseconds of the log's clock; nil without one.
  var instant: Int64?
  /// The time from the command to the response where the log states it, in nanoseconds.
  var duration: Int64?
  /// The number of blanks before the first line.
  let indentation: Int
  /// Whether further lines may hold more bytes.
  var isOpen: Bool
  /// Whether the digits cannot be read.
  var isUnreadable = false

  /// Whether the line stands below a command or response that has all of its bytes.
  var followsWhole = false

  /// Whether the log states more bytes than were read.
  var isShort: Bool {
    if let least = leastCount, octets.count < least { return true }
    return statedCount.map { octets.count < $0 } ?? false
  }

  /// Whether the bytes themselves show that none follow: a command with all the data that it states, or a response with
  /// whole data objects.
  var isWholeItself: Bool {
    if isShort { return false }
    if (status.isEmpty ? octets : octets + status).count == 2 { return false }
    let isCommand = InstructionNames.isKnownCommand(octets)
    let isResponse = LogItem.endsWithStatus(response) && TemplateEnd.isWhole(response.dropLast(2))
    switch (label.family, label.side) {
    case (.named, .command): return isCommand
    case (.named, _): return isResponse
    default: return isCommand || isResponse
    }
  }

  /// Whether nothing is known to be missing when no further line comes for now.
  var isWholeForNow: Bool {
    if isShort || octets.isEmpty && status.isEmpty { return false }
    if statedCount != nil || isWholeItself || !isOpen && lines.count == 1 { return true }
    let isCommandOnly = label.family == .named && label.side == .command
    return !isCommandOnly && LogItem.endsWithStatus(response) && TemplateEnd.missingCount(response) == nil
  }

  /// The response with its status word.
  var response: [UInt8] { octets + status }

  /// Whether SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-4:2013, 5.6).
  static func endsWithStatus(_ octets: [UInt8]) -> Bool {
    guard octets.count >= 2 else { return false }
    let first = octets[octets.count - 2]
    return (0x61...0x6F).contains(first) || first >> 4 == 9
  }
}

/// What the lines of a log hold, in order.
enum LogEvent {
  case item(LogItem)
  /// An answer to reset, or another sign that a card was connected.
  case reset(answer: [UInt8]?, line: Int)
  case protocolName(String)
  /// The time of the last response, on a line of its own.
  case duration(Int64)
  /// A line that begins with `#`.
  case comment(String)
  /// A line with nothing of an exchange.
  case other(line: Int)
}

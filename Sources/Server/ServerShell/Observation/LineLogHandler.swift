internal import JSON
internal import Logging
internal import Octets

/// Makes a line of each entry of a log.
struct LineLogHandler: LogHandler {
  let format: ServerLog.Format
  let clock: any WallClock
  let write: @Sendable (_ line: String) -> Void
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let members = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let (time, level, message) = (clock.now.rfc3339, event.level.rawValue, event.message.description)
    switch format {
    case .json:
      let head = [("time", JSONValue(time)), ("level", JSONValue(level)), ("message", JSONValue(message))]
      write(JSONValue(members: head + members.map { ($0.key, Self.json($0.value)) }).compact.visibleJSON)
    case .text:
      let pairs = members.map { " \($0.key)=\(Self.text($0.value))" }.joined()
      write("\(time) \(level) \(message)\(pairs)".visible())
    }
  }

  private static func json(_ value: Logger.MetadataValue) -> JSONValue {
    switch value {
    case .stringConvertible(let number as Int): JSONValue(number)
    case .stringConvertible(let number as Double) where number.isFinite: JSONValue(number)
    default: JSONValue("\(value)")
    }
  }

  // Quotation marks around a value with a space, such as the name of a route.
  private static func text(_ value: Logger.MetadataValue) -> String {
    let text = "\(value)"
    return text.contains(" ") ? "\"\(text)\"" : text
  }
}

extension WallTime {
  /// The moment in UTC with milliseconds, as RFC 3339: `2026-01-31T09:05:00.120Z`. A year outside 1970 to 9999 becomes the
  /// nearest one.
  var rfc3339: String {
    let whole = WallTime(seconds: min(max(seconds, 0), 253_402_300_799))
    let fraction = String(milliseconds + 1_000).dropFirst()
    return "\(whole.iso8601.dropLast()).\(fraction)Z"
  }
}

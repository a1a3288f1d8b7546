/// Notices held back until the link has sent the response. Each has the name of its `CardThreadEvent`.
struct DueEvents: OptionSet {
  let rawValue: UInt8

  static let terminalCame = DueEvents(rawValue: 1)
  static let completed = DueEvents(rawValue: 2)
  static let refused = DueEvents(rawValue: 4)
  static let stopped = DueEvents(rawValue: 8)
  static let presented = DueEvents(rawValue: 16)
}

/// The notices of a command that wait until its link has passed on the response, those of the same names in `CardThreadEvent`.
struct DueEvents: OptionSet {
  let rawValue: UInt8

  static let terminalCame = DueEvents(rawValue: 1)
  static let completed = DueEvents(rawValue: 2)
  static let refused = DueEvents(rawValue: 4)
  static let stopped = DueEvents(rawValue: 8)
}

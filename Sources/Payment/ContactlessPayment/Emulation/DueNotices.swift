/// The notices of a command that wait until its link has passed on the response, those of the same names in `CardNotice`.
struct DueNotices: OptionSet {
  let rawValue: UInt8

  static let terminalCame = DueNotices(rawValue: 1)
  static let completed = DueNotices(rawValue: 2)
  static let refused = DueNotices(rawValue: 4)
  static let stopped = DueNotices(rawValue: 8)
}

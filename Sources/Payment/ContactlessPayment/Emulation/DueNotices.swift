/// The notices that a session gets once a response has left, those of the same names in `CardNotice`.
struct DueNotices: OptionSet {
  let rawValue: UInt8

  static let terminalCame = DueNotices(rawValue: 1)
  static let completed = DueNotices(rawValue: 2)
  static let refused = DueNotices(rawValue: 4)
}

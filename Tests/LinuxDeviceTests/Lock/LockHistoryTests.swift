import Testing

@testable import LinuxDevice

/// The rules by which a guard tells a change of the passcode from a removal.
struct LockHistoryTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let history: LockHistory
    let present: PasscodeState
    let isRemoval: Bool

    init(
      _ title: String, _ known: PasscodeState, changes: [(PasscodeState, PasscodeState)] = [],
      journal: [PasscodeState] = [], replaced: Int?, _ present: PasscodeState, removal: Bool
    ) {
      testDescription = title
      history = LockHistory(
        known: known, changes: changes.map { PasscodeChange(before: $0, after: $1) }, formerJournal: journal,
        replacements: replaced)
      self.present = present
      isRemoval = removal
    }
  }

  private static let (first, second, third) = (set(1), set(2), set(3))
  private static func set(_ octet: UInt8) -> PasscodeState { .set(digest: [UInt8](repeating: octet, count: 32)) }

  static let rows = [
    Row("nothing happened", first, replaced: 0, first, removal: false),
    Row("nothing happened while no device ran", first, replaced: nil, first, removal: false),
    Row("another user's password changed", first, replaced: 5, first, removal: false),
    Row("the passcode was removed", first, replaced: 1, .notSet, removal: true),
    Row("the passcode was removed while no device ran", first, replaced: nil, .notSet, removal: true),
    Row("a user without a passcode stays without one", .notSet, replaced: nil, .notSet, removal: false),
    Row("a passcode was set", .notSet, replaced: 1, first, removal: false),
    Row("a passcode was set while no device ran", .notSet, replaced: nil, first, removal: false),
    Row("one replacement is a change", first, replaced: 1, second, removal: false),
    Row("two replacements can be a removal and a new passcode", first, replaced: 2, second, removal: true),
    Row("a change that nothing has seen counts as a removal", first, replaced: nil, second, removal: true),
    Row("no replacement and another hash: the watch was lost", first, replaced: 0, second, removal: true),
    Row(
      "a change of the hook while no device ran", first, changes: [(first, second)], replaced: nil, second,
      removal: false),
    Row(
      "two changes of the hook while no device ran", first, changes: [(first, second), (second, third)], replaced: nil,
      third, removal: false),
    Row(
      "two changes of the hook while it ran", first, changes: [(first, second), (second, third)], replaced: 2, third,
      removal: false),
    Row(
      "a change of the hook and another hash", first, changes: [(first, second)], replaced: nil, third, removal: true),
    Row(
      "a change of the hook and the hash before it", first, changes: [(first, second)], replaced: nil, first,
      removal: true),
    Row("a change of another hash", first, changes: [(second, third)], replaced: nil, third, removal: true),
    Row(
      "two changes with a gap between them", first, changes: [(first, second), (third, second)], replaced: nil, second,
      removal: true),
    Row(
      "a passcode set after a removal that bypassed PAM", first, changes: [(.notSet, second)], replaced: nil, second,
      removal: true),
    Row(
      "a removal between two changes", first, changes: [(first, second), (.notSet, third)], replaced: nil, third,
      removal: true),
    Row("the same hash again after a removal", first, changes: [(.notSet, first)], replaced: nil, first, removal: true),
    Row("a removal after a change of the hook", first, changes: [(first, second)], replaced: 2, .notSet, removal: true),
    Row("a line of the former journal", first, journal: [first], replaced: nil, second, removal: false),
    Row("two lines of the former journal", first, journal: [first, second], replaced: nil, third, removal: false),
    Row("a former journal of another passcode", first, journal: [second], replaced: nil, third, removal: true),
    Row("an aborted change in the former journal", first, journal: [first], replaced: nil, first, removal: false),
    Row("a removal in the former journal", first, journal: [first, .notSet], replaced: nil, second, removal: true),
    Row(
      "a line of the former journal, then a change of the hook", first, changes: [(second, third)], journal: [first],
      replaced: nil, third, removal: false),
    Row(
      "a line of the former journal, a change of the hook, and another hash", first, changes: [(second, third)],
      journal: [first], replaced: nil, second, removal: true),
  ]

  @Test(arguments: rows) func `a history is a removal or not`(_ row: Row) {
    #expect(row.history.hasRemoval(before: row.present) == row.isRemoval)
  }
}

/// The second field of a shadow entry.
struct PasscodeStateTests {
  private func state(_ field: String) -> PasscodeState {
    PasscodeState(of: "holder", in: Array("root:x:1::::::\nholder:\(field):20000:0:99999:7:::\nz:y:1\n".utf8))
  }

  @Test(arguments: ["", "!", "!!", "*", "!*", "*LK*"]) func `a field without a hash is no passcode`(_ field: String) {
    #expect(state(field) == .notSet)
  }

  @Test(arguments: ["$y$j9T$abc$def", "$6$salt$hash", "abJnggxhB/yWI", "x"])
  func `a field with a hash is a passcode, also when the account is locked`(_ field: String) {
    #expect(state(field).isSet)
    #expect(state("!" + field) == state(field))
    #expect(state("!!" + field) == state(field))
    #expect(state(field + "2") != state(field))
  }

  @Test(arguments: ["", "\n\n", "holder", "holder:", "holder:$6$a", "holderx:$6$a:1", "xholder:$6$a:1", ":$6$a:1"])
  func `a user without a whole entry has no passcode`(_ file: String) {
    #expect(PasscodeState(of: "holder", in: Array(file.utf8)) == .notSet)
  }

  @Test func `the first entry of a user counts`() {
    let file = Array("holder:$6$one:1\nholder::1\n".utf8)
    #expect(PasscodeState(of: "holder", in: file).isSet)
  }
}

import TestSupport
import Testing

/// Names that a device gives itself, in the lists of the operator and of the wallet.
@Suite("Names of devices", .blocks, .timeLimit(.minutes(20)))
struct ForeignNameTests {
  @Test func `a name with a line feed and an escape sequence is one column of one row`() throws {
    let programs = try AccessPrograms()
    let run = try programs.run(
      "register", "--account", "alice", "--authenticator", "pin", "--name", "A\nmallory\tactive\u{1B}[2J\u{9B}J",
      answers: ["pin": ["123456"]], isFirst: true)
    for list in [try programs.operate("device", "list"), run.text] {
      #expect(!list.contains("\u{1B}") && !list.unicodeScalars.contains("\u{9B}"), "\(list)")
    }
    let rows = try programs.operate("device", "list").split(separator: "\n")
    // A server that refuses such a name has no row.
    #expect(rows.count == (run.code == 0 ? 1 : 0) && !rows.contains { $0.hasPrefix("mallory") }, "\(rows)")
    #expect(rows.allSatisfy { $0.split(separator: "\t").count == 4 }, "\(rows)")
  }
}

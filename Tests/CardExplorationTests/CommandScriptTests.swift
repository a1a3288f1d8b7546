import CardExploration
import Testing

/// Scripts of commands.
@Suite("Scripts of commands")
struct CommandScriptTests {
  static func commands(_ text: String, isRaw: Bool = false) throws -> [[UInt8]] {
    try CommandScript.commands(Array(text.utf8), named: "s.txt", isRaw: isRaw)
  }

  @Test func `spaces, colons, comments and empty lines do not count`() throws {
    let text = "# a script\n\n00 A4 04 00 // select\r\n80:CA:9F:36:00 # counter\n"
    #expect(try Self.commands(text) == [[0x00, 0xA4, 0x04, 0x00], [0x80, 0xCA, 0x9F, 0x36, 0x00]])
  }

  @Test func `all problems are named together, each with its line`() {
    #expect {
      try Self.commands("00A40400\nnonsense\n00\n00A40400023F\n")
    } throws: { error in
      guard let error = error as? CommandTextError else { return false }
      let lines = error.description.split(separator: "\n").map { $0.prefix(13) }
      return error.kind == .notACommand && lines == ["s.txt, line 2", "s.txt, line 3", "s.txt, line 4"]
    }
  }

  @Test func `bytes that are no command are kept on request`() throws {
    #expect(throws: CommandTextError.self) { try Self.commands("00A4") }
    #expect(try Self.commands("00A4", isRaw: true) == [[0x00, 0xA4]])
    #expect(throws: CommandTextError.self) { try Self.commands("00", isRaw: true) }
  }

  @Test func `a script has at least one command and at most 20 000`() throws {
    #expect(throws: CommandTextError.self) { try Self.commands("# nothing\n") }
    let line = "00A40400\n"
    #expect(try Self.commands(String(repeating: line, count: 20_000)).count == 20_000)
    #expect(throws: CommandTextError.self) { try Self.commands(String(repeating: line, count: 20_001)) }
  }

  @Test func `a command has at most 65 544 bytes`() throws {
    let limit = String(repeating: "00", count: 65_544)
    #expect(try CommandScript.command(limit, isRaw: true).count == 65_544)
    #expect(throws: CommandTextError.self) { try CommandScript.command(limit + "00", isRaw: true) }
  }
}

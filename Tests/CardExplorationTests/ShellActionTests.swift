import CardExploration
import ISO7816
import Testing

/// The language of a shell for a card.
@Suite("Lines of a shell")
struct ShellActionTests {
  static let lines: [(String, ShellAction?)] = [
    ("", nil), ("  # a comment", nil),
    ("00a4 04 00 02 3F00", .send([0x00, 0xA4, 0x04, 0x00, 0x02, 0x3F, 0x00])),
    ("80:CA:9F:36:00 # the counter", .send([0x80, 0xCA, 0x9F, 0x36, 0x00])),
    ("select visa", .send([0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x03, 0x10, 0x10, 0x00])),
    ("select A000000025", .send([0x00, 0xA4, 0x04, 0x00, 0x05, 0xA0, 0, 0, 0, 0x25, 0x00])),
    ("read 1 1", .send([0x00, 0xB2, 0x01, 0x0C, 0x00])), ("read 30 255", .send([0x00, 0xB2, 0xFF, 0xF4, 0x00])),
    ("get 9F36", .send([0x80, 0xCA, 0x9F, 0x36, 0x00])), ("options", .options), ("card", .card), ("reset", .reset),
    ("decode 9F 36 02 00 01", .decode([0x9F, 0x36, 0x02, 0x00, 0x01])), ("tag 9F36", .describe("9F36")),
    ("tag application label", .describe("application label")), ("record taps.txt", .record("taps.txt")),
    ("record off", .stopRecording), ("help", .help(nil)), ("help read", .help("read")), ("quit", .quit),
  ]

  @Test(arguments: lines)
  func `a line has one meaning`(_ line: String, _ action: ShellAction?) throws {
    #expect(try ShellAction.parsed(line) == action)
  }

  static let mistakes = [
    ("selct visa", CommandTextError.Kind.unknownName, "did you mean select?"),
    ("select vsa", .unknownName, "did you mean visa?"), ("select A0000000", .unknownName, "5 to 16 bytes"),
    ("select", .form, "the form is select AID|NAME"), ("read 0 1", .form, "the short file identifier is 1...30"),
    ("read 31 1", .form, "the short file identifier is 1...30"), ("read 1 0", .form, "the record number is 1...255"),
    ("read 1 256", .form, "the record number is 1...255"), ("get 9F3", .form, "2 or 4 hexadecimal digits"),
    ("decode 9F3", .form, "decode: "), ("00A4", .notACommand, "is no command"), ("00", .form, "1 byte"),
    ("00A40400023F", .notACommand, "is no command"), ("quit now", .form, "the form is quit"),
  ]

  @Test(arguments: mistakes)
  func `a wrong line is refused with what is possible in its place`(
    _ line: String, _ kind: CommandTextError.Kind, _ text: String
  ) {
    #expect {
      try ShellAction.parsed(line)
    } throws: { error in
      guard let error = error as? CommandTextError else { return false }
      return error.kind == kind && error.description.contains(text)
    }
  }

  @Test func `a line with a PIN is secret, another one is not`() throws {
    #expect(try ShellAction.parsed("00200080083412FFFFFFFFFFFF")?.carriesSecret == true)
    #expect(try ShellAction.parsed("00B2010C00")?.carriesSecret == false)
    #expect(try ShellAction.parsed("options")?.carriesSecret == false)
  }

  @Test func `every command is completed, named in the help and described alone`() throws {
    let words = ShellCompletions()
    #expect(words.candidates(after: "", for: "re") == ["read", "record", "reset"])
    #expect(words.candidates(after: "select ", for: "vi") == ["visa"])
    #expect(words.candidates(after: "get ", for: "9f3").contains("9F36"))
    #expect(words.candidates(after: "quit ", for: "").isEmpty)
    for command in ShellCommands.all {
      #expect(try ShellCommands.help(command.name).count == 1)
      #expect(try ShellCommands.help(nil).contains { $0.hasPrefix(command.form) })
    }
    #expect(throws: CommandTextError.self) { try ShellCommands.help("halp") }
  }

  @Test func `the applications of a directory are completed once they were read`() throws {
    let words = ShellCompletions()
    let entry: [UInt8] = [0x61, 0x0C, 0x4F, 0x07, 0xA0, 0, 0, 0x09, 0x99, 0x10, 0x10, 0x87, 0x01, 0x01]
    let directory: [UInt8] =
      [0x6F, 0x23, 0x84, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0xA5, 0x11, 0xBF, 0x0C, 0x0E] + entry
    #expect(words.candidates(after: "select ", for: "A00000099").isEmpty)
    words.learn(try ResponseAPDU(parsing: (directory + [0x90, 0x00]).span))
    #expect(words.candidates(after: "select ", for: "A00000099") == ["A0000009991010"])
  }

  @Test func `a tag is described by its number and by a word of its name`() throws {
    #expect(try DataElementText.lines("9F36").first?.hasPrefix("9F36 Application Transaction Counter") == true)
    #expect(try DataElementText.lines("transaction counter").contains { $0.hasPrefix("9F36") })
    #expect(throws: CommandTextError.self) { try DataElementText.lines("no such element") }
  }
}

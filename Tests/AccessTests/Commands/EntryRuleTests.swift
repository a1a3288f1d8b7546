import JSON
import TestSupport
import Testing

/// The rules of a new PIN or password of an authenticator, which are those of the program and not of the server.
@Suite(.blocks, .timeLimit(.minutes(20))) struct EntryRuleTests {
  private static func register(
    _ programs: AccessPrograms, _ authenticator: String, _ options: [String], _ entries: [String]
  ) throws -> WalletOutput {
    try WalletOutput(
      programs.start(
        ["register", "--account", "alice", "--authenticator", authenticator, "--name", "Phone"] + options,
        answers: [authenticator: entries], isFirst: true))
  }

  @Test func `a PIN follows the lengths of the option, which a later change keeps`() throws {
    let programs = try AccessPrograms()
    let run = try Self.register(programs, "pin", ["--pin-length", "4-8"], ["123", "123456789", "4711"])
    #expect(run.code == 0, "\(run.text)")
    #expect(run.prompts.map { $0["lastError"]?.text } == [nil, "InvalidPinFormat", "InvalidPinFormat"], "\(run.text)")
    #expect(run.prompts.first?["rule"]?.text == "A PIN has 4 to 8 digits.")
    let change = try programs.run("pin", "change", answers: ["oldPin": ["4711"], "newPin": ["08154711"]])
    #expect(change.code == 0, "\(change.text)")
    let other = try WalletOutput(
      programs.start(
        ["pin", "change", "--pin-length", "6"],
        answers: ["oldPin": ["08154711", "08154711"], "newPin": ["4711", "471100"]]))
    #expect(other.code == 0 && other.prompts.contains { $0["lastError"]?.text == "InvalidPinFormat" }, "\(other.text)")
  }

  @Test func `a password follows the lengths and kinds of the options`() throws {
    let programs = try AccessPrograms()
    let run = try Self.register(
      programs, "password", ["--password-length", "6-12", "--password-kinds", "small,special"],
      ["ab!", "ABCDEF!", "abcdefg", "abcdef!"])
    #expect(run.code == 0, "\(run.text)")
    #expect(run.prompts.count == 4, "\(run.text)")
    #expect(
      run.prompts.first?["rule"]?.text
        == "A password has 6 to 12 characters, with a small letter and a special character.")
    #expect(try programs.run("authenticate", answers: ["password": ["abcdef!"]]).code == 0)
  }

  @Test func `the default rules are six digits, and ten characters with a capital letter and a number`() throws {
    let programs = try AccessPrograms()
    let pin = try Self.register(programs, "pin", [], ["12345", "1234567", "123456"])
    #expect(pin.code == 0 && pin.prompts.count == 3, "\(pin.text)")
    let password = try WalletOutput(
      programs.start(
        ["register", "--account", "alice", "--authenticator", "password"],
        answers: [
          "pin": ["123456"], "authenticator": ["pin"],
          "password": ["abcdefgh1j", "Abcdefghij", "Abcdefg1", "Abcdefgh1j"],
        ]))
    #expect(password.code == 0, "\(password.text)")
  }

  @Test(arguments: [
    (["--pin-length", "3"], "3: a PIN has 4 to 64"), (["--pin-length", "8-65"], "8-65: a PIN has 4 to 64"),
    (["--pin-length", "8-4"], "8-4: the least number is above the greatest"),
    (["--pin-length", "six"], "six: a number such as 6"), (["--pin-length", "4-"], "4-: a number such as 6"),
    (["--password-length", "0-8"], "0-8: a password has 1 to 256"),
    (["--password-length", "99999999999999999999"], "a number such as 6"),
    (["--password-kinds", "capital,digits"], "digits is no kind of character"),
    (["--password-kinds", ""], "is no kind of character"),
  ])
  func `a rule that is implausible is wrong usage with its limit`(_ options: [String], _ message: String) throws {
    let programs = try AccessPrograms()
    let run = try programs.start(
      ["register", "--account", "alice", "--authenticator", "pin"] + options, format: "text")
    #expect(try run.finish() == .exited(64), "\(run.output)")
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test func `rules that no password can follow are refused before the first prompt, and not stored`() throws {
    let programs = try AccessPrograms()
    let run = try Self.register(
      programs, "password", ["--password-length", "1-2", "--password-kinds", "capital,small,number"], ["Ab1"])
    #expect((run.code, run.errorCode) == (64, "InvalidArgument") && run.prompts.isEmpty, "\(run.text)")
    #expect(run.text.contains("a password of at most 2 characters cannot have 3 kinds of them"), "\(run.text)")
    #expect(try Self.register(programs, "password", [], ["Abcdefgh1j"]).code == 0)
  }

  @Test func `the PIN of a wallet follows the rules of the server, whatever the options were`() throws {
    let programs = try WalletPrograms(#"{"pin": {"minimumLength": 5, "maximumLength": 5}}"#)
    let registration = try WalletOutput(
      programs.start(
        "register", "--account", "bob", "--authenticator", "passcode", "--name", "Phone", "--pin-length", "4",
        "--server", programs.url, "--ca", programs.authority))
    try #require(registration.code == 0, "\(registration.text)")
    let questions = try programs.run("questions")
    #expect(questions.last["pinRule"]?.text?.contains("5") == true, "\(questions.text)")
    let enrolment = try programs.enrol()
    #expect(enrolment.errorCode == "WeakPin", "\(enrolment.text)")
  }
}

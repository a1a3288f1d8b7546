import JSON
import TestSupport
import Testing

/// `tap-wallet profile`: what the issuer keeps of the user.
@Suite(.blocks, .timeLimit(.minutes(20))) struct ProfileTests {
  @Test func `names and telephone number are shown and changed in a session, and the operator sees them`() throws {
    let programs = try WalletPrograms()
    let enrolment = try programs.enrol()
    try #require(enrolment.code == 0, "\(enrolment.text)")
    let shown = try programs.run("profile", "show")
    #expect(Self.members(shown.last) == [WalletPrograms.user, "Alice", "Example", "+41 44 123 45 67"], "\(shown.text)")

    let change = try programs.run("profile", "set", "--last-name", "Muster", "--phone", "+41 31 765 43 21")
    #expect(change.code == 0, "\(change.text)")
    let changed = [WalletPrograms.user, "Alice", "Muster", "+41 31 765 43 21"]
    #expect(Self.members(change.last) == changed)
    #expect(Self.members(try programs.run("profile", "show").last) == changed)
    let listed = try programs.operate("wallet", "list").split(separator: "\n")
    #expect(listed.count == 1 && listed[0].hasSuffix("\tAlice Muster\t+41 31 765 43 21"), "\(listed)")
    let json = try programs.operate("wallet", "list", "--format", "json")
    #expect(json.contains(#""firstName": "Alice", "lastName": "Muster", "phone": "+41 31 765 43 21""#), "\(json)")

    #expect(try programs.run("logout").code == 0)
    for command in [["show"], ["set", "--phone", "123"]] {
      let late = try programs.run(["profile"] + command)
      #expect((late.code, late.errorCode) == (2, "NotLoggedIn"), "\(late.text)")
    }
  }

  @Test func `the e-mail address is fixed, and the refusal has a reason and a remedy`() throws {
    let programs = try WalletPrograms()
    try #require(try programs.enrol().code == 0)
    let run = try programs.run("profile", "set", "--phone", "123", "--email", "bob@example.org")
    #expect((run.code, run.errorCode) == (2, "FixedEmail"), "\(run.text)")
    let message = run.last["error"]?["message"]?.text ?? ""
    #expect(message.contains("is the user name") && message.contains("enrol a new wallet"), "\(message)")
    #expect(try programs.run("profile", "show").last["phone"]?.text == "+41 44 123 45 67")
  }

  @Test(arguments: [
    (["--first-name", " "], "InvalidProfile"), (["--last-name", String(repeating: "a", count: 129)], "InvalidProfile"),
    (["--phone", "12"], "InvalidProfile"), (["--phone", "twelve"], "InvalidProfile"),
  ])
  func `a name or a telephone number without its form is refused on the device`(
    _ options: [String], _ code: String
  ) throws {
    let programs = try WalletPrograms()
    let run = try programs.run(["profile", "set"] + options, isFirst: true)
    #expect((run.code, run.errorCode) == (2, code), "\(run.text)")
  }

  @Test func `a change without a member is wrong usage`() throws {
    let run = try WalletPrograms().start("profile", "set", format: "text")
    #expect(try run.finish() == .exited(64) && run.errors.contains("--first-name"), "\(run.errors)")
  }

  @Test func `the open wallet offers the profile after the login`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let run = try programs.open(
      [
        "profile show", "login", "7413", "profile set --first-name \"Anna Maria\" --last-name O''Hara", "profile show",
        "quit",
      ])
    #expect(run.ends == ["NotAllowed", "login", "profile set", "profile show", "open"], "\(run.text)")
    let shown = run.events.last { $0["operation"]?.text == "profile show" }
    #expect(shown?["firstName"]?.text == "Anna Maria", "\(run.text)")
    #expect(shown?["lastName"]?.text == "OHara", "\(run.text)")
  }

  private static func members(_ event: JSONValue) -> [String?] {
    ["email", "firstName", "lastName", "phone"].map { event[$0]?.text }
  }
}

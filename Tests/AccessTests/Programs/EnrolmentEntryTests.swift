import DeviceAuthentication
import JSON
import Octets
import TestSupport
import Testing

/// What a user enters to enrol, and what comes before the first prompt.
@Suite(.blocks, .timeLimit(.minutes(20))) struct EnrolmentEntryTests {
  private static let answers: [String: [String]] = [
    "firstName": ["Alice"], "lastName": [" ", "Example"], "email": ["alice", WalletPrograms.user],
    "phone": ["x", "+41 44"],
    "password": ["short", "Abcdefgh1", "Abcdefgh2", "Abcdefgh1", "Abcdefgh1"], "pin": ["1234", "7413", "7413"],
    "answer:school": ["Elm"], "answer:book": ["", "Emma"],
  ]

  @Test func `each entry is checked before the next one is asked for`() throws {
    let programs = try WalletPrograms()
    let run = try programs.run("enrol", answers: Self.answers, isFirst: true)
    #expect(run.code == 0, "\(run.text)")
    let refused = run.prompts.compactMap { prompt in
      prompt["lastError"]?.text.map { "\(prompt["name"]?.text ?? "") \($0)" }
    }
    #expect(
      refused == [
        "lastName InvalidProfile", "email InvalidProfile", "phone InvalidProfile", "password WeakPassword",
        "password PasswordsDiffer", "pin WeakPin", "answer:book InvalidAnswer",
      ], "\(run.text)")
    // The rules stand above the prompts.
    for name in ["password", "pin"] {
      #expect(run.prompts.first { $0["name"]?.text == name }?["rule"]?.text?.isEmpty == false, "\(run.text)")
    }
  }

  @Test func `the pool of questions is printed for files of answers`() throws {
    let programs = try WalletPrograms()
    let run = try programs.run("questions", isFirst: true)
    let ids = run.last["questions"]?.list?.compactMap { $0["id"]?.text }
    #expect(ids == ["pet", "town", "school", "street", "book"], "\(run.text)")
    #expect(run.last["requiredAnswers"]?.integer == 2)
  }

  @Test func `a missing member of the profile comes before the first prompt`() throws {
    let programs = try WalletPrograms()
    let file = try programs.scratch.write("p.json", #"{"firstName": "A", "lastName": "B", "email": "a@b.c"}"#)
    let run = try programs.run("enrol", "--profile", file, answers: Self.answers, isFirst: true)
    #expect(run.errorCode == "Profile" && run.prompts.isEmpty, "\(run.text)")
    #expect(run.text.contains("phone"))
  }

  @Test func `a linked device is refused before the first prompt`() throws {
    let programs = try WalletPrograms()
    try programs.link()
    let run = try programs.run("enrol", answers: Self.answers)
    #expect(run.errorCode == "AlreadyLinked" && run.prompts.isEmpty, "\(run.text)")
  }

  @Test func `the list of devices has names, systems and moments`() throws {
    let programs = try WalletPrograms()
    #expect(try programs.enrol(WalletPrograms.user, "--name", "Alice's phone").code == 0)
    let list = try programs.run(
      "lost", "list", answers: ["password": ["Abcdefgh1"], "answer:pet": ["Rex"], "answer:town": ["Bern"]])
    let device = try #require(list.last["devices"]?.list?.first, "\(list.text)")
    #expect(device["name"]?.text == "Alice's phone")
    #expect(device["system"]?.text?.hasPrefix("Linux") == true, "\(list.text)")
    for moment in ["createdAt", "lastContactAt"] {
      #expect(device[moment]?.text.flatMap(WallTime.init(iso8601WithMilliseconds:)) != nil, "\(moment): \(list.text)")
    }
  }

  @Test func `an enrolment whose login was interrupted goes on`() throws {
    let programs = try WalletPrograms(
      nil, faults: #"[{"fault": "serverError", "path": "/wallet/v1/sessions"}]"#)
    let interrupted = try programs.enrol()
    #expect(interrupted.code != 0, "\(interrupted.text)")
    try programs.restartServer()
    let resumed = try programs.open(["enrol"])
    #expect(resumed.screens == ["welcome", "wallet"] && resumed.ends == ["enrol", "open"], "\(resumed.text)")
    #expect(resumed.prompts.allSatisfy { $0["name"]?.text == "action" }, "\(resumed.text)")
  }

  @Test(arguments: [("standard", "scrypt-14-8-5."), ("minimal", "scrypt-4-8-1.")])
  func `a password is hashed at its full cost, unless the plan of faults asks for the least`(
    _ hashing: String, _ parameters: String
  ) throws {
    let programs = try WalletPrograms(nil, hashing: hashing)
    let enrolled = try programs.enrol()
    #expect(enrolled.code == 0, "\(enrolled.text)")
    let hash = try AccessPrograms.value(
      "SELECT passwordHash FROM wallet", in: programs.scratch.path("server.sqlite"))
    #expect(hash.hasPrefix(parameters), "\(hash)")
  }
}

import Fixtures
import Foundation
import TestSupport
import Testing

/// The recordings of `tap test --record`: judged again, and kept from a second run.
@Suite("Recordings of tests", .blocks, .timeLimit(.minutes(20)))
struct RecordedTestTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let pack = Fixtures.url("CardTests").path

  func test(_ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(TapProgram.start(["test"] + arguments))
  }

  /// Writes a scenario that judges a card.
  func cardScenario(_ name: String, _ further: String) throws -> String {
    try scratch.write(
      "\(name).yaml",
      """
      id: \(name)
      name: \(name)
      rule: "EMV 4.4 Book 3, 6.5.8"
      card: {file: \(TapProgram.card("visa-cvn18"))}
      \(further)

      """)
  }

  /// Writes a scenario that judges a terminal.
  func terminalScenario(_ name: String, amount: String = "12.34", card: String? = nil) throws -> String {
    try scratch.terminalScenario(name, amount: amount, card: card, expect: "shown: approved")
  }

  /// The scenarios of a run: identifier, verdicts and differences.
  func verdicts(_ run: TapProgram.Run) throws -> [String: String] {
    let scenarios = try #require(run.json()["scenarios"] as? [[String: Any]])
    return Dictionary(
      try scenarios.map { scenario in
        let taps = try #require(scenario["taps"] as? [[String: Any]])
        let words = taps.map { tap in
          let messages = (tap["failures"] as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
          return "\(tap["result"] ?? "") \(messages)"
        }
        return (try #require(scenario["id"] as? String), words.joined(separator: "; "))
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `recordings of the card pack get the verdicts of their run again`() throws {
    let folder = scratch.path("recordings")
    let failing = try cardScenario(
      "F-1", "steps: [{send: SELECT PPSE}, {send: SELECT AID}, {send: GPO, expect: {status: \"6985\"}}]")
    let again = try cardScenario(
      "F-2",
      "steps: [{send: SELECT PPSE}, {reset: true}, {send: SELECT PPSE}, {send: SELECT AID}, {send: GPO}]\n"
        + "repeat: 2\nexpect: {constant: 9F36}")
    let files = [Self.pack, failing, again, "--destructive", "--format", "json", "--reader"]
    let made = try test(files + ["loopback", "--record", folder])
    #expect(made.code == 2, "\(made.errors)")
    let judged = try test(files + ["replay:\(folder)"])
    #expect(judged.code == 2, "\(judged.errors)")
    let (first, second) = (try verdicts(made), try verdicts(judged))
    #expect(first.count > 200 && first["F-1"]?.hasPrefix("failed") == true)
    #expect(first["F-2"]?.contains("9F36") == true, "\(first["F-2"] ?? "")")
    let differing = first.filter { second[$0.key] != $0.value }
    #expect(differing.isEmpty, "\(differing.map { "\($0.key): \($0.value), then \(second[$0.key] ?? "nothing")" })")
  }

  /// A random number of a card looks like an account number once in some hundred taps. Here the name of the application does.
  @Test(arguments: [("4761739001010010", true), ("4012888888881881", false)])
  func `only the card of another account number has masked data in its recording`(
    _ account: String, _ isShipped: Bool
  ) throws {
    let shipped = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let card = try scratch.write(
      "card.json",
      shipped.replacing("VISA DEBIT", with: "4000000000000002").replacing("4761739001010010", with: account))
    let folder = scratch.path("recordings")
    let file = try cardScenario("M-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]")
    let made = try test([file, "--reader", "loopback:\(card)", "--record", folder])
    #expect(made.code == 0, "\(made.output)\(made.errors)")
    let again = try test([file, "--reader", "replay:\(folder)"])
    #expect(again.code == (isShipped ? 0 : 2), "\(again.output)\(again.errors)")
    #expect(again.output.contains("masked data") != isShipped, "\(again.output)")
  }

  @Test func `a scenario without a recording is not judged, and the others are`() throws {
    let folder = scratch.path("recordings")
    let known = try cardScenario("K-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]")
    #expect(try test([known, "--reader", "loopback", "--record", folder]).code == 0)
    let unknown = try cardScenario("U-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]")
    let run = try test([unknown, known, ScenarioTests.file("visa-low-value.yaml"), "--reader", "replay:\(folder)"])
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(run.output.contains("\(folder) has no recording of U-1, tap 1"), "\(run.output)")
    #expect(run.output.hasSuffix("2 not judged; 3 taps: 1 passed, 2 not judged\n"), "\(run.output)")
    let more = try test([known, "--repeat", "2", "--reader", "replay:\(folder)"])
    #expect(more.code == 2 && more.output.contains("has no recording of K-1, tap 2"), "\(more.output)")
  }

  @Test func `a recording of other steps is not judged`() throws {
    let folder = scratch.path("recordings")
    let file = try cardScenario("C-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]")
    #expect(try test([file, "--reader", "loopback", "--record", folder]).code == 0)
    for steps in ["[{send: SELECT PPSE}, {send: SELECT AID, expect: {status: \"9000\"}}]", "[{send: GET DATA}]"] {
      let changed = try cardScenario("C-1", "steps: \(steps)\nexpect: {milliseconds: {whole tap: 400}}")
      let run = try test([changed, "--reader", "replay:\(folder)"])
      #expect(run.code == 2 && run.output.contains("NOT JUDGED C-1"), "\(run.output)\(run.errors)")
    }
  }

  /// Recordings of other projects' cards, how many scenarios they answer at least, and the scenarios with a difference.
  static let published: [(path: String, least: Int, differing: [String])] = [
    ("Vectors/emv-bertlv/amex-cda-in.txt", 10, []), ("Transcripts/contactless-mastercard.txt", 10, []),
    ("Vectors/proxmark3/hf_visa_apple_normal.apdu.json", 8, []),
    // Its last response is lost.
    ("Transcripts/apple-pay-visa.txt", 5, []),
    ("Transcripts/mastercard-magstripe-terminal.txt", 10, []), ("Transcripts/amex-cda.txt", 10, []),
    ("Transcripts/discover-cda-terminal.txt", 10, []), ("Transcripts/unionpay-fdda-terminal.txt", 10, []),
    // A card of the contact interface: it has the directory 1PAY.SYS.DDF01, which no contactless terminal reads.
    ("Vectors/emvpt/test_data.yaml", 0, ["DIR-11"]),
  ]

  @Test(arguments: published.indices)
  func `the card pack finds no fault in published recordings but those that they have`(_ index: Int) throws {
    let (path, least, differing) = Self.published[index]
    let name = Fixtures.url(path).path
    let run = try test([Self.pack, "--reader", "replay:\(name)", "--format", "json"])
    let verdicts = try verdicts(run)
    #expect(verdicts.values.count { $0.hasPrefix("passed") } >= least, "\(verdicts)")
    let found = verdicts.filter { $0.value.hasPrefix("failed") || $0.value.hasPrefix("warning") }
    #expect(found.keys.sorted() == differing, "\(found)")
    #expect(!verdicts.values.contains { $0.hasPrefix("error") }, "\(verdicts)")
    // What was guessed of the file comes once, and not for each scenario.
    let notes = run.errors.split(separator: "\n").filter { $0.contains(name) }
    #expect(notes.count <= 7 && Set(notes).count == notes.count, "\(notes.prefix(20))")
  }

  // MARK: Runs that go on

  /// Makes recordings of scenarios at the loopback, as if they were made at a link.
  func record(_ files: [String], in folder: String, at link: String, _ further: [String] = []) throws {
    let run = try test(files + ["--link", "loopback", "--record", folder] + further)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let path = "\(folder)/\(name)"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("#@ link: loopback\n"), "\(text)")
      try text.replacing("#@ link: loopback\n", with: "#@ link: \(link)\n")
        .write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  // No card is at this port: a run that would present one is an error.
  static let link = "vpcd:127.0.0.1:1"

  func resume(_ files: [String], in folder: String, at link: String = link, _ further: [String] = []) throws
    -> TapProgram.Run
  {
    try test(files + ["--link", link, "--record", folder, "--timeout", "1"] + further)
  }

  @Test func `a run goes on with the same settings only, and names the setting that differs`() throws {
    let folder = scratch.path("recordings")
    let file = try terminalScenario("R-1")
    try record([file], in: folder, at: Self.link)
    let same = try resume([file], in: folder)
    #expect(same.code == 0 && same.output.contains("ok   R-1"), "\(same.output)\(same.errors)")
    #expect(same.errors.contains("1 tap that it has is judged again and not made."), "\(same.errors)")
    let before = try FileManager.default.contentsOfDirectory(atPath: folder)
    let link = try resume([file], in: folder, at: "vpcd:127.0.0.1:2")
    #expect(link.code == 2 && link.errors.contains("was made with --link \(Self.link), not vpcd:127.0.0.1:2"))
    let capabilities = try resume([file], in: folder, ["--capabilities", TerminalRunTests.visaOnly])
    #expect(capabilities.code == 2 && capabilities.errors.contains("was made with no --capabilities"))
    let amount = try resume([terminalScenario("R-1", amount: "20")], in: folder)
    #expect(amount.code == 2 && amount.errors.contains("the amount 12.34, not 20"), "\(amount.errors)")
    let card = try resume([terminalScenario("R-1", card: TapProgram.card("visa-cvn10"))], in: folder)
    #expect(card.code == 2 && card.errors.contains("was made with another card"), "\(card.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == before)
  }

  @Test func `a run with fewer or other scenarios goes on, says so, and leaves one recording for each tap`() throws {
    let folder = scratch.path("recordings")
    let files = try (1...3).map { try terminalScenario("S-\($0)") }
    try record([files[2]], in: folder, at: Self.link)
    let run = try resume([files[2], files[0]], in: folder)
    #expect(run.output.contains("ok   S-3"), "\(run.output)\(run.errors)")
    let fewer = try resume([files[0]], in: folder)
    #expect(fewer.errors.contains("It also has 1 tap that this run does not make."), "\(fewer.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names == ["01-s-3-s-3-0001.txt"], "\(names)")
  }

  @Test func `a tap whose recording has no profile of its card is made again, and the other taps are not`() throws {
    let folder = scratch.path("recordings")
    let stranger = try terminalScenario("P-1", card: strangerCard())
    let files = [stranger, try terminalScenario("P-2")]
    try record(files, in: folder, at: Self.link)
    let run = try resume(files, in: folder)
    #expect(run.code == 3 && !run.output.contains("ok   P-1"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("ok   P-2"), "\(run.output)\(run.errors)")
    let note = "1 tap that it has is judged again and not made. 1 tap is made again, since its recording has no profile"
    #expect(run.errors.contains(note), "\(run.errors)")
    let link = try resume(files, in: folder, at: "vpcd:127.0.0.1:2")
    #expect(link.code == 2 && link.errors.contains("was made with --link \(Self.link), not"), "\(link.errors)")
    let again = try test([stranger, "--link", "replay:\(folder)"])
    #expect(again.code == 2 && again.output.contains("NOT JUDGED P-1"), "\(again.output)\(again.errors)")
  }

  @Test func `a folder with a recording that cannot be read is left as it is, and the file is named`() throws {
    let folder = scratch.path("recordings")
    let file = try terminalScenario("U-1")
    try record([file], in: folder, at: Self.link)
    for (name, content, code) in [("notes.txt", "no recording", 2), ("link.txt", nil, 1)] as [(String, String?, Int32)]
    {
      let path = "\(folder)/\(name)"
      if let content {
        try content.write(toFile: path, atomically: true, encoding: .utf8)
      } else {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere")
      }
      let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let run = try resume([file], in: folder)
      #expect(run.code == code && run.errors.contains(path), "\(run.output)\(run.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(arguments: [true, false]) func `a folder takes the recordings of one run at a time`(isOfCard: Bool) throws {
    let folder = scratch.path("recordings")
    let file =
      try isOfCard
      ? cardScenario("L-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]") : terminalScenario("L-1")
    let command = [file, isOfCard ? "--reader" : "--link", "loopback", "--record", folder]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let refused = try test(command)
    #expect(refused.code == 1 && refused.errors.contains("another tap test records here"), "\(refused.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    close(descriptor)
    #expect(try test(command).code == 0)
  }

  @Test(arguments: [true, false]) func `a full disk costs no verdict, and leaves no part of a recording`(
    isOfCard: Bool
  ) throws {
    let disk = try MountedDisk(kilobytes: 64)
    _ = try disk.fill()
    let (right, wrong) =
      try isOfCard
      ? (
        cardScenario("D-1", "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]"),
        cardScenario("D-2", "steps: [{send: SELECT PPSE, expect: {status: \"6A82\"}}]")
      )
      : (
        terminalScenario("D-1"),
        scratch.write(
          "D-2.yaml",
          String(contentsOfFile: terminalScenario("D-2"), encoding: .utf8).replacing("approved", with: "declined"))
      )
    let run = try test([right, wrong, isOfCard ? "--reader" : "--link", "loopback", "--record", disk.path])
    #expect(run.code == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("ERROR D-1") && run.output.contains("No space left on device"), "\(run.output)")
    #expect(run.output.contains("FAILED D-2"), "\(run.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["filler"])
  }
}

import Fixtures
import Foundation
import TestSupport
import Testing

/// Card tests at a real pcscd, with a card of `tap lab pcsc` that stays there.
@Suite("Card tests at a card that stays in the laboratory", .blocks, .serialized, .timeLimit(.minutes(20)))
struct StayingCardTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func test(_ files: [String], at lab: LabTests.Reader, _ further: [String] = []) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["test"] + files + ["--reader", "pcsc:\(lab.name)", "--card-stays", "--timeout", "20"] + further,
        environment: lab.environment))
  }

  @Test(arguments: [
    ("visa-cvn18", ["Records", "Selection", "Kernel3"]), ("mastercard-cvn21", ["Kernel2"]),
  ]) func `folders of the card pack pass at pcscd`(_ card: String, _ folders: [String]) throws {
    let lab = try LabTests.Reader(["--card", TapProgram.card(card), "--stays"])
    let run = try test(folders.map { Fixtures.url("CardTests/\($0)").path }, at: lab)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains(" 0 failed, 0 errors") && !run.output.contains("not judged"), "\(run.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `a card that stays answers GET DATA after a payment, and pays again after a reset`() throws {
    let lab = try LabTests.Reader(LabTests.visa + ["--stays"])
    let payment =
      "{send: SELECT PPSE}, {send: SELECT AID}, {send: GPO, expect: {status: \"9000\"}}, {send: READ RECORDS}"
    let file = try scratch.write(
      "after.yaml",
      """
      id: A-1
      name: after a payment
      rule: "EMV 4.4 Book 2, 8.1"
      repeat: 2
      steps: [\(payment), {send: GET DATA, expect: {status: "9000", tags: {9F36: {length: 2}}}}, {reset: true}, \(payment)]
      expect: {fresh: 9F26}

      """)
    let run = try test([file], at: lab)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("1 scenario: 1 passed, 0 failed, 0 errors; 2 taps\n"), "\(run.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test(arguments: [["--stays"], []]) func `a card that its issuer blocks stays at the reader, and refuses everything`(
    further: [String]
  ) throws {
    let card = Fixtures.url("Scenarios/Cards/mastercard-issuer-response.json").path
    let lab = try LabTests.Reader(["--card", card] + further)
    let scenario = Fixtures.url("Scenarios/Issuer/block-card.yaml").path
    let run = try TapProgram.finish(
      TapProgram.start(
        ["test", scenario, "--destructive", "--reader", "pcsc:\(lab.name)", "--timeout", "20"],
        environment: lab.environment))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(lab.program.wait(timeout: .seconds(60)) { $0.errors.contains("blocked the card") }, "\(lab.program.errors)")
    for _ in 0..<2 {
      let answer = try TapProgram.finish(
        TapProgram.start(
          ["send", "00A404000E325041592E5359532E444446303100", "80A8000002830000", "--raw"]
            + ["--reader", "pcsc:\(lab.name)", "--timeout", "20"], environment: lab.environment))
      #expect(answer.output.split(separator: "  6A81  ").count == 3, "\(answer.output)\(answer.errors)")
    }
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `a command that no PC/SC reader sends makes its scenario not applicable`() throws {
    let lab = try LabTests.Reader(LabTests.visa + ["--stays"])
    let file = try scratch.write(
      "short.yaml",
      """
      id: S-1
      name: short
      rule: "ISO/IEC 7816-3:2006, 12.1.1"
      steps: [{send: {bytes: "00A404"}, expect: {status: 6xxx}}]

      """)
    let run = try test([file, Fixtures.url("CardTests/Directory/first.yaml").path], at: lab)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("1 passed, 0 failed, 0 errors, 1 not applicable; 1 tap\n"), "\(run.output)")
    let reason = "NOT APPLICABLE 1 scenario: a PC/SC reader sends no command that is shorter than its header of 4 bytes"
    #expect(run.output.contains(reason), "\(run.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `--stays needs --card`() throws {
    let run = try TapProgram.run("lab", "pcsc", "--stays")
    #expect(run.code == 64 && run.errors.contains("--stays needs --card"), "\(run.errors)")
  }

  @Test func `another card in the middle of a tap is an error of the tap, and is not judged`() throws {
    let pcscd = try IsolatedPCSCD(logsCommands: true)
    func present(_ card: String) throws -> ProgramRun {
      try TapProgram.start(
        ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card(card), "--format", "json"])
    }
    let file = try scratch.write(
      "swapped.yaml",
      """
      id: W-1
      name: swapped
      rule: "EMV Contactless Book B v2.11, 3.3.2"
      steps: [{send: SELECT PPSE}, {wait: 20000}, {send: SELECT AID, expect: {status: "6A82"}}]

      """)
    let first = try present("visa-cvn18")
    let run = try TapProgram.start(
      ["test", file, "--reader", "pcsc:\(pcscd.readerNames[0])", "--timeout", "20"], environment: pcscd.environment)
    let isRead = first.wait(timeout: .seconds(60)) { _ in pcscd.log.contains("APDU: 00 A4 04 00 0E") }
    #expect(isRead, "\(first.output)\(first.errors)")
    first.signal(SIGKILL)
    _ = try first.finish(timeout: .seconds(20))
    let second = try present("mastercard-cvn16")
    let ended = try TapProgram.finish(run)
    #expect(ended.code == 2 && ended.output.contains("ERROR swapped"), "\(ended.output)\(ended.errors)")
    second.signal(SIGTERM)
    _ = try second.finish(timeout: .seconds(20))
  }
}

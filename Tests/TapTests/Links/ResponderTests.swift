import Fixtures
import Foundation
import Octets
import TestSupport
import Testing

/// `tap present --responder`: a program in Python answers as the card.
@Suite("tap present --responder", .blocks, .timeLimit(.minutes(20)))
struct ResponderTests {
  static let selectDirectory = "00A404000E325041592E5359532E444446303100"
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A command line for a program in Python.
  private func python(_ text: String) throws -> String {
    "python3 '\(try scratch.write("\(UUID().uuidString).py", text))'"
  }

  /// A card that writes each line that it gets to a file, and answers commands with 6A82.
  private var journal: String {
    """
    import sys
    with open("\(scratch.path("journal.txt"))", "a") as journal:
        for line in sys.stdin:
            print(line, end="", file=journal, flush=True)
            if line[0] in "0123456789ABCDEF":
                print("6A 82")
    """
  }

  private func present(_ program: String, link: String = "loopback", _ more: [String] = []) throws -> ProgramRun {
    try TapProgram.start(["present", "--link", link, "--responder", program, "--format", "json"] + more)
  }

  @Test func `a program answers the terminal in this process, and is said to be never armed`() throws {
    let record = scratch.path("record.txt")
    let run = try TapProgram.finish(try present(try python(journal), link: "loopback", ["--record", record]))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try run.json()["event"] as? String == "programAnswered")
    #expect(run.errors.contains("never armed"))
    #expect(run.errors.contains("The terminal in this process: end application, "), "\(run.errors)")
    let lines = try String(contentsOfFile: scratch.path("journal.txt"), encoding: .utf8).split(separator: "\n")
    #expect(lines.first == "field on" && lines.last == "field off", "\(lines)")
    #expect(lines.dropFirst().first == "\(Self.selectDirectory)")
    let recorded = try String(contentsOfFile: record, encoding: .utf8)
    #expect(recorded.contains("#@ outcome: answered by a program, never armed\n"), "\(recorded)")
    #expect(recorded.contains("\(Self.selectDirectory)\n") && recorded.contains("6A82\n"))
    let decoded = try TapProgram.run("decode", record)
    #expect(decoded.code == 0, "\(decoded.output)\(decoded.errors)")
    try OutputSchema.check("present", ["present", "--link", "loopback", "--responder", try python(journal)])
  }

  @Test func `a virtual reader's power, reset and power off are events of the program, and the last ends the tap`()
    throws
  {
    let reader = SimulatedVPCD()
    let card = try present(try python(journal), link: "vpcd:127.0.0.1:\(reader.port)")
    reader.accept()
    #expect(reader.exchange([0x04]) != nil, "\(card.errors)")
    reader.powerOn()
    #expect(reader.responses(to: [Self.selectDirectory, "80CA9F7F00"]) == ["6A82", "6A82"])
    reader.send([0x02])
    #expect(reader.responses(to: ["00B2010C00"]) == ["6A82"])
    reader.powerOff()
    let run = try TapProgram.finish(card)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try (run.json()["message"] as? String) == "3 commands answered by the program")
    let lines = try String(contentsOfFile: scratch.path("journal.txt"), encoding: .utf8)
    #expect(lines == "field on\n\(Self.selectDirectory)\n80CA9F7F00\nreset\n00B2010C00\nfield off\n")
  }

  @Test func `a program is a card in a real pcscd`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try present(try python(journal), link: "vpcd:127.0.0.1:\(pcscd.port)")
    let run = try TapProgram.run(
      "send", "--reader", "pcsc:\(pcscd.readerNames[0])", Self.selectDirectory, environment: pcscd.environment)
    #expect(run.code == 2, "\(run.output)\(run.errors)\(card.errors)")
    #expect(run.output.contains("1. SELECT  6A82"), "\(run.output)")
    card.signal(SIGINT)
    _ = try card.finish(timeout: .seconds(60))
  }

  /// What a program does with a command, and what is reported.
  static let wrong: [(program: String, reason: String)] = [
    ("print('Hello')", "the response to command 1 is malformed"),
    ("print('900')", "the response to command 1 is malformed"),
    ("print()", "the response to command 1 has 0 bytes: 2, the status word, to"),
    ("print('90')", "the response to command 1 has 1 byte"),
    ("print('00' * 70000)", "the response to command 1"), ("print('x' * 300000)", "is longer than 65538 bytes"),
    ("raise SystemExit(1)", "the program ended without a response to command 1"),
    ("print('9000', end=''); raise SystemExit(0)", "the program ended without a response to command 1"),
    ("import time; time.sleep(600)", "the program did not answer command 1 within 400 ms"),
    ("sys.stdout.buffer.write(bytes(range(128, 256)) + b'\\n')", "the response to command 1 is malformed"),
  ]

  @Test(arguments: wrong)
  func `a response that is missing, late or malformed is reported and never reaches the terminal`(
    _ program: String, _ reason: String
  ) throws {
    let text = "import sys\nfor line in sys.stdin:\n    if line.startswith('field'): continue\n    \(program)\n"
    let reader = SimulatedVPCD()
    let limit = program.contains("time") ? "400" : "60000"
    let card = try present(
      try python(text), link: "vpcd:127.0.0.1:\(reader.port)",
      ["--responder-limit", limit, "--record", scratch.path("r")])
    reader.accept()
    reader.powerOn()
    #expect(reader.exchange([0x00, 0xA4, 0x04, 0x00, 0x00]) == nil)
    let run = try TapProgram.finish(card)
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(try run.errorCode() == "responder")
    #expect(run.errors.contains(reason), "\(run.errors)")
    let recorded = try String(contentsOfFile: scratch.path("r"), encoding: .utf8)
    #expect(recorded.contains("never armed; the "), "\(recorded)")
    // The command was received, and its response never left.
    #expect(recorded.contains("00A4040000\n") && recorded.contains("#@ torn: stopped\n"), "\(recorded)")
    #expect(!recorded.contains("6F00"), "\(recorded)")
  }

  @Test(arguments: [
    (0, "the program closed its standard input before command 1"),
    (1, "the program closed its standard output without a response to command 1"),
  ])
  func `a program that closes its input or its output alone is reported as such`(
    _ number: Int, _ reason: String
  ) throws {
    let text = "import os, sys, time\nos.close(\(number))\nprint('closed', file=sys.stderr)\ntime.sleep(600)"
    let reader = SimulatedVPCD()
    let card = try present(
      try python(text), link: "vpcd:127.0.0.1:\(reader.port)", ["--responder-limit", "400"])
    reader.accept()
    reader.powerOn()
    #expect(card.wait(timeout: .seconds(60)) { $0.errors.contains("closed\n") })
    #expect(reader.exchange([0x00, 0xA4, 0x04, 0x00, 0x00]) == nil)
    let run = try TapProgram.finish(card)
    #expect(run.code == 2 && run.errors.contains(reason), "\(run.errors)")
  }

  @Test func `a line that no command asked for ends the tap at the next command`() throws {
    let text = """
      import sys
      for line in sys.stdin:
          if line.startswith("field"): continue
          print("9000\\n9000")
      """
    let reader = SimulatedVPCD()
    let card = try present(try python(text), link: "vpcd:127.0.0.1:\(reader.port)")
    reader.accept()
    reader.powerOn()
    #expect(reader.responses(to: [Self.selectDirectory]) == ["9000"])
    #expect(reader.exchange([0x00, 0xB2, 0x01, 0x0C, 0x00]) == nil)
    let run = try TapProgram.finish(card)
    #expect(run.code == 2, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("before command 2"), "\(run.errors)")
  }

  @Test func `what a program writes to its standard error is shown`() throws {
    let run = try TapProgram.finish(
      try present(
        try python("import sys\nprint('a card of mine', file=sys.stderr)\n" + journal), link: "loopback",
        ["--responder-limit", "60000"]))
    #expect(run.code == 0 && run.errors.contains("a card of mine\n"), "\(run.errors)")
  }

  @Test func `a program does not get the variables of the environment that name cards and readers`() throws {
    let text = "import os, sys\nprint(sorted(os.environ), file=sys.stderr)\n" + journal
    let run = try TapProgram.finish(
      TapProgram.start(
        ["present", "--link", "loopback", "--responder", try python(text)],
        environment: ["CONTACTLESS_LINK": "loopback"]))
    #expect(run.code == 0 && run.errors.contains("'PATH'") && !run.errors.contains("CONTACTLESS"), "\(run.errors)")
  }

  @Test(arguments: [SIGINT, SIGTERM, 0])
  func `a program that ignores signals and the end of its input ends with the tap`(_ signal: Int32) throws {
    let text = """
      import os, signal, sys, time
      for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
      for line in sys.stdin:
          if line.startswith("field"): continue
          print(os.getpid(), file=open("\(scratch.path("pid"))", "w"), flush=True)
          if \(signal) == 0: print("6A82")
          while True: time.sleep(600)
      """
    let reader = SimulatedVPCD()
    let card = try present(try python(text), link: "vpcd:127.0.0.1:\(reader.port)", ["--responder-limit", "60000"])
    reader.accept()
    reader.powerOn()
    reader.send([0x00, 0xA4, 0x04, 0x00, 0x00])
    if signal == 0 {
      #expect(reader.receive()?.hex == "6A82")
      reader.powerOff()
    } else {
      while try processNumber() == nil { usleep(1000) }
      card.signal(signal)
    }
    _ = try card.finish(timeout: .seconds(60))
    let number = try #require(try processNumber())
    var state = ""
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      // A process that was killed is there until its parent, or the system's first process, has waited for it.
      state = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
    } while !state.isEmpty && !state.contains(") Z") && ContinuousClock.now < end
    #expect(state.isEmpty || state.contains(") Z"), "\(state)")
  }

  /// The number that the program has written; nil before it has.
  private func processNumber() throws -> pid_t? {
    guard FileManager.default.fileExists(atPath: scratch.path("pid")) else { return nil }
    let text = try String(contentsOfFile: scratch.path("pid"), encoding: .utf8)
    return text.hasSuffix("\n") ? pid_t(text.dropLast()) : nil
  }

  @Test func `in a laboratory each response waits half a second more`() throws {
    let record = scratch.path("slow.txt")
    let run = try TapProgram.finish(
      try present(
        try python(journal), link: "loopback", ["--laboratory", "--record", record, "--responder-limit", "60000"]))
    #expect(run.code == 0 && run.errors.contains("each response waits 500 ms more"), "\(run.errors)")
    let times = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("#@ t: ") }.compactMap { Int($0.dropFirst(6)) }
    #expect(!times.isEmpty && times.allSatisfy { $0 >= 500_000_000 }, "\(times)")
  }

  @Test func `a program that cannot be started is an error`() throws {
    let run = try TapProgram.finish(try present("/nowhere/card"))
    #expect(try run.code == 1 && run.errorCode() == "responder", "\(run.errors)")
    #expect(run.errors.contains("cannot start /nowhere/card: No such file or directory"), "\(run.errors)")
  }

  @Test(arguments: [
    ("loopback", "python3 a | b", [], "no shell runs it"), ("loopback", "", [], "--responder names no program"),
    ("loopback", "  ", [], "--responder names no program"), ("loopback", "'' a", [], "--responder names no program"),
    ("nfc:pn532_uart:/dev/ttyUSB0", "a", [], "needs --laboratory"), ("acr122:ACR122U", "a", [], "needs --laboratory"),
    ("loopback", "a", ["--card", "x"], "Either --card, --wallet, --recording or --responder"),
    ("loopback", "a", ["--unarmed"], "--responder has no cardholder"), ("loopback", "a", ["--hold"], "no cardholder"),
    ("loopback", "a", ["--responder-limit", "0"], "the range is 1...60000"),
  ])
  func `an option that a program does not have is wrong usage`(
    _ link: String, _ program: String, _ options: [String], _ reason: String
  ) throws {
    let run = try TapProgram.finish(
      TapProgram.start(["present", "--link", link, "--responder", program] + options))
    #expect(run.code == 64 && run.errors.contains(reason), "\(run.errors)")
  }

  @Test func `a chip takes a program in a laboratory`() throws {
    let run = try TapProgram.run(
      "present", "--link", "acr122:nowhere", "--responder", "true", "--laboratory", "--format", "json")
    #expect(run.code == 3, "\(run.output)\(run.errors)")
  }

  @Test func `the card of the article answers the terminal`() throws {
    let article = ExampleTests.root.appending(path: "Sources/Contactless.docc/TestingCardsAndTerminals.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let program = try #require(text.components(separatedBy: "```python\n").dropFirst().first)
      .components(separatedBy: "```\n")[0]
    let shown = try #require(text.components(separatedBy: "```text\n").dropFirst().first)
      .components(separatedBy: "```\n")[0].split(separator: "\n").map(String.init)
    let plain = try TapProgram.finish(
      TapProgram.start(["present", "--link", "loopback", "--responder", try python(program)]))
    let lines = (plain.errors + plain.output).split(separator: "\n").map(String.init)
    #expect(lines == shown, "\(plain.errors)\(plain.output)")
    let run = try TapProgram.finish(try present(try python(program), link: "loopback", ["--verbose"]))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try (run.json()["message"] as? String)?.hasPrefix("3 commands") == true, "\(run.output)")
  }
}

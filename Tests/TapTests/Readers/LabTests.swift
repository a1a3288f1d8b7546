import Foundation
import TestSupport
import Testing

/// `tap lab pcsc`, as its users run it, and programs that share no code with us at its reader.
@Suite("The simulated PC/SC reader of tap lab", .blocks, .serialized, .timeLimit(.minutes(20)))
struct LabTests {
  static let visa = ["--card", TapProgram.card("visa-cvn18")]

  /// A laboratory and what its first line says.
  struct Reader {
    let program: ProgramRun
    let name: String
    let socket: String
    let link: String

    init(_ arguments: [String]) throws {
      program = try TapProgram.start(["lab", "pcsc", "--format", "json"] + arguments)
      _ = program.wait(timeout: .seconds(30)) { $0.output.contains("\n") }
      let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
      let address = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      #expect(address.keys.sorted() == ["address", "link", "reader", "socket"])
      #expect(address["address"] == "pcsc:\(address["reader"] ?? "")")
      name = try #require(address["reader"])
      socket = try #require(address["socket"])
      link = try #require(address["link"])
    }

    var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socket] }
    var directory: String { (socket as NSString).deletingLastPathComponent }

    /// Whether neither directory nor socket nor pcscd is left. A busy machine may take its time.
    func leavesNothing() throws -> Bool {
      for _ in 0..<2000 {
        let processes = try ProgramRun("pgrep", ["--full", directory])
        if try processes.finish() == .exited(1), !FileManager.default.fileExists(atPath: directory) { return true }
        usleep(10_000)
      }
      return false
    }

    func accept(_ further: String...) throws -> TapProgram.Run {
      try TapProgram.finish(
        TapProgram.start(
          [
            "accept", "--reader", "pcsc:\(name)", "--amount", "12.34", "--currency", "978", "--format", "json",
            "--timeout", "30",
          ] + further, environment: environment))
    }

    /// Runs another's program at the reader once the card is there.
    func ask(_ program: String, _ arguments: [String], input: String? = nil) throws -> ProgramRun {
      let command = input.map { "\(program) \"$@\" < \($0)" } ?? "\(program) \"$@\""
      let run = try ProgramRun("sh", ["-c", command, "sh"] + arguments, environment: environment)
      #expect(try run.finish() == .exited(0), "\(program): \(run.output)\(run.errors)")
      return run
    }
  }

  /// Options of the laboratory, and the address at which its cards arrive as /proc/net/tcp writes it.
  static let addresses = [
    ([], "0100007F"), (["--listen", "127.0.0.1"], "0100007F"), (["--listen", "0.0.0.0"], "00000000"),
    (["--listen", "127.0.0.2"], "0200007F"),
  ]

  @Test(arguments: addresses)
  func `the reader takes cards at the loopback address, or at that of --listen`(
    _ arguments: [String], _ address: String
  ) throws {
    let lab = try Reader(Self.visa + arguments)
    // The link is that of the second slot.
    let port = try #require(lab.link.split(separator: ":").last.flatMap { Int($0) })
    let listening = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
      .compactMap { line -> String? in
        let words = line.split(separator: " ")
        return words.count > 3 && words[3] == "0A" ? String(words[1]) : nil
      }
    for slot in [port - 1, port] {
      let suffix = ":" + String(format: "%04X", slot)
      #expect(listening.filter { $0.hasSuffix(suffix) } == [address + suffix])
    }
    let run = try lab.accept()
    #expect(run.code == 0, "\(run.errors)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `a port in use is one sentence: which one, for which reader, and the remedy`() throws {
    let lab = try Reader([])
    let port = try #require(lab.link.split(separator: ":").last)
    let run = try TapProgram.run("lab", "pcsc", "--port", String(port))
    #expect(run.code == 3)
    let next = (Int(port) ?? 0) + 1
    #expect(
      run.errors == """
        error: 127.0.0.1:\(port) and 127.0.0.1:\(next) are in use by another program, and the reader Contactless Lab waits \
        for its cards at 127.0.0.1:\(port) and 127.0.0.1:\(next); name another port, or none for any free ones

        """)
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish() == .exited(0))
  }

  @Test(arguments: ["localhost", "1.2.3", "256.1.1.1", "::1", ""])
  func `an address for --listen is four numbers`(_ address: String) throws {
    let run = try TapProgram.run("lab", "pcsc", "--listen", address)
    #expect(run.code == 64 && run.errors.contains("--listen"), "\(run.errors)")
  }

  @Test(arguments: ["visa-cvn18", "mastercard-cvn21"])
  func `the card pays repeatedly, and each payment is printed`(card: String) throws {
    let lab = try Reader(["--card", TapProgram.card(card)])
    for counter in 1...2 {
      let run = try lab.accept()
      #expect(run.code == 0, "\(run.errors)")
      #expect((try run.json()["cryptogram"] as? [String: Any])?["transactionCounter"] as? Int == counter)
    }
    #expect(lab.program.wait(timeout: .seconds(30)) { $0.output.contains("\"payment\":2") })
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
    #expect(try lab.leavesNothing())
  }

  @Test func `send, dump and shell straight after a payment find the card, 15 times of 15`() throws {
    let lab = try Reader(Self.visa)
    let scratch = try Scratch()
    let input = try scratch.write("input.txt", "select ppse\n")
    let reader = ["--reader", "pcsc:\(lab.name)", "--timeout", "30"]
    let shell = ["-c", "\"$@\" < \(input)", "sh", TapProgram.path, "shell"]
    for round in 1...15 {
      #expect(try lab.accept().code == 0)
      let next =
        switch round % 3 {
        case 0: try TapProgram.start(["send", SendTests.environmentName] + reader, environment: lab.environment)
        case 1: try TapProgram.start(["dump"] + reader, environment: lab.environment)
        default: try ProgramRun("sh", shell + reader, environment: lab.environment)
        }
      let run = try TapProgram.finish(next)
      #expect(run.code == 0, "round \(round): \(run.output)\(run.errors)")
      #expect(run.output.contains("1. SELECT  9000"), "round \(round): \(run.output)")
    }
    #expect(lab.program.wait(timeout: .seconds(30)) { $0.output.contains("\"payment\":15") })
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  /// Lines of a shell that waits where they say so, at a card whose holder verifies again every 750 ms.
  @Test(arguments: [
    // The selection outlasts several verifications.
    ["select visa", "sleep", "options", "read 1 1", "read 3 1"],
    // Two payments in one shell, and the selection outlasts the first.
    ["select visa", "options", "read 1 1", "read 3 1", "sleep", "options", "read 1 1", "read 3 1"],
  ])
  func `a shell goes on with the card when its holder has verified again`(lines: [String]) throws {
    let lab = try Reader(Self.visa + ["--validity", "1"])
    let script = lines.map { $0 == "sleep" ? "sleep 2.5" : "echo \($0)" }.joined(separator: "; ")
    let run = try TapProgram.finish(
      ProgramRun(
        "sh", ["-c", "(\(script)) | \"$0\" shell --reader \"$1\"", TapProgram.path, "pcsc:\(lab.name)"],
        environment: lab.environment))
    let last = lines.filter { $0 != "sleep" }.count
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("\(last). READ RECORD  9000"), "\(run.output)\(run.errors)")
    // A verification that is renewed is no event. A payment that the end of the shell interrupts names its use.
    let failures = lab.program.output.split(separator: "\n").filter { $0.contains("errorEncountered") }
    #expect(failures.allSatisfy { $0.contains("\"spent\":[{") }, "\(lab.program.output)")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `the reader answers commands of class FF itself`() throws {
    let lab = try Reader(Self.visa)
    let run = try TapProgram.finish(
      TapProgram.start(
        [
          "send", "--reader", "pcsc:\(lab.name)", "--format", "json", "FFCA000000", "FFCA010000", "FFCA000001",
          "FFB0000004",
        ],
        environment: lab.environment))
    #expect(run.code == 2, "\(run.errors)")
    let exchanges = try #require(run.json()["exchanges"] as? [[String: Any]])
    #expect(exchanges.compactMap { $0["status"] as? String } == ["9000", "9000", "6C04", "9000", "6D00"])
    let identifier = try #require(exchanges[0]["response"] as? String)
    #expect(identifier.hasPrefix("08"))
    #expect(exchanges[1]["response"] as? String == "05788070029000")
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish(timeout: .seconds(30)) == .exited(0), "\(lab.program.errors)")
  }

  @Test func `an empty reader takes the card of tap present, at the address of the text`() throws {
    let scratch = try Scratch()
    let program = try TapProgram.start(["lab", "pcsc", "--socket", scratch.path("the lab's socket")])
    #expect(program.wait(timeout: .seconds(30)) { $0.output.contains("Other programs") }, "\(program.errors)")
    let lines = program.output.split(separator: "\n")
    let present = try #require(lines.first { $0.contains("tap present") }).split(separator: " ")
    let link = try #require(present.first { $0.hasPrefix("vpcd:127.0.0.1:") })
    let cardSide = try TapProgram.start(["present", "--link", String(link)] + Self.visa)
    // The line as it is printed, but for the program's place.
    let line = try #require(lines.first { $0.contains("tap accept") }?.split(separator: "at it: ").last)
    let command = line.replacingOccurrences(of: " tap accept", with: " \(TapProgram.path) accept")
    let terminal = try ProgramRun("sh", ["-c", command + " --timeout 30"])
    #expect(try terminal.finish() == .exited(0), "\(terminal.errors)")
    #expect(try TapProgram.finish(cardSide).code == 0)
    program.signal(SIGTERM)
    #expect(try program.finish(timeout: .seconds(30)) == .exited(0))
  }

  @Test func `the socket is where --socket says, until the end`() throws {
    let scratch = try Scratch()
    let lab = try Reader(Self.visa + ["--socket", scratch.path("lab.socket")])
    #expect(lab.socket == scratch.path("lab.socket"))
    #expect(try lab.accept().code == 0)
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish() == .exited(0), "\(lab.program.errors)")
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: lab.socket)) == nil)
  }

  @Test(arguments: [[], visa], [SIGINT, SIGTERM, SIGKILL])
  func `however it ends, it ends soon and leaves nothing`(arguments: [String], signal: Int32) throws {
    // Right after its first line, while it waits for a terminal, and between two payments.
    for phase in 0..<(arguments.isEmpty ? 2 : 3) {
      let lab = try Reader(arguments)
      if phase == 1 { usleep(700_000) }
      if phase == 2 {
        #expect(try lab.accept().code == 0)
        #expect(lab.program.wait(timeout: .seconds(30)) { $0.output.contains("\"payment\":1") })
      }
      let begun = ContinuousClock.now
      lab.program.signal(signal)
      let ending = try lab.program.finish(timeout: .seconds(30))
      #expect(ContinuousClock.now - begun < .seconds(15))
      #expect(ending == (signal == SIGKILL ? .killed(signal: SIGKILL) : .exited(0)), "\(lab.program.errors)")
      #expect(try lab.leavesNothing())
    }
  }

  @Test func `killed as it starts, it leaves nothing`() throws {
    for delay in [0, 20_000, 40_000] as [UInt32] {
      let program = try TapProgram.start(["lab", "pcsc", "--format", "json"])
      // Its first child is the watchdog, which has the name of the directory.
      var directory: String?
      _ = program.wait(timeout: .seconds(30)) { run in
        let children = try? ProgramRun("pgrep", ["--list-full", "--full", "--parent", "\(run.identifier)", "."])
        _ = try? children?.finish()
        directory = children?.output.firstMatch(of: /\/tmp\/pcscd-\w{6}/).map { String($0.0) }
        return directory != nil
      }
      usleep(delay)
      program.signal(SIGKILL)
      _ = try program.finish()
      let own = try #require(directory)
      for _ in 0..<2000 where FileManager.default.fileExists(atPath: own) { usleep(10_000) }
      #expect(!FileManager.default.fileExists(atPath: own))
      // The watchdog removes the directory and ends after that.
      var users = "not looked for"
      for _ in 0..<2000 where !users.isEmpty {
        let search = try ProgramRun("pgrep", ["--full", own])
        _ = try search.finish()
        users = search.output
        if !users.isEmpty { usleep(10_000) }
      }
      #expect(users.isEmpty)
    }
  }

  @Test func `two at the same time are two readers`() throws {
    let labs = try [Reader(Self.visa), Reader(["--card", TapProgram.card("mastercard-cvn16")])]
    #expect(labs[0].socket != labs[1].socket)
    let applications = try labs.map { lab in
      let run = try lab.accept()
      #expect(run.code == 0, "\(run.errors)")
      return try #require((run.json()["application"] as? [String: Any])?["aid"] as? String)
    }
    #expect(applications == ["A0000000031010", "A0000000041010"])
    for lab in labs { lab.program.signal(SIGINT) }
    for lab in labs { #expect(try lab.program.finish() == .exited(0)) }
  }

  @Test(arguments: [[], visa])
  func `without its pcscd it ends with a sentence`(arguments: [String]) throws {
    let lab = try Reader(arguments)
    let found = try ProgramRun("pgrep", ["--full", "^/usr/sbin/pcscd .*\(lab.directory)/conf"])
    #expect(try found.finish() == .exited(0))
    let process = try #require(Int32(found.output.split(separator: "\n").first ?? ""))
    kill(process, SIGKILL)
    let run = try TapProgram.finish(lab.program)
    #expect(run.code == (arguments.isEmpty ? 3 : 2))
    #expect(run.errors.contains("pcscd has ended"), "\(run.errors)")
    #expect(try lab.leavesNothing())
  }

  @Test(arguments: [["pn532"], ["pn532"] + LabTests.visa, ["pair"]], [SIGINT, SIGTERM])
  func `simulated chips end soon in every phase`(arguments: [String], signal: Int32) throws {
    for delay in [0, 300_000] as [UInt32] {
      let lab = try TapProgram.start(["lab"] + arguments + ["--format", "json"])
      #expect(lab.wait(timeout: .seconds(30)) { $0.output.contains("\n") }, "\(lab.errors)")
      usleep(delay)
      lab.signal(signal)
      #expect(try lab.finish(timeout: .seconds(60)) == .exited(0), "\(arguments) after \(delay) us: \(lab.errors)")
    }
  }
}

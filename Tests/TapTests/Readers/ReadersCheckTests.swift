import Foundation
import Links
import TestSupport
import Testing
import VirtualCard

/// `tap readers --check` on this machine, with real faults.
@Suite("tap readers --check, with real faults", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReadersCheckTests {
  let pcscd: IsolatedPCSCD
  let scratch: Scratch

  init() throws {
    pcscd = try IsolatedPCSCD()
    scratch = try Scratch()
  }

  struct Report {
    let code: Int32
    let findings: [[String: String]]

    init(_ run: TapProgram.Run) throws {
      code = run.code
      findings = try run.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
      }
    }

    subscript(_ subject: String) -> [String: String] { findings.first { $0["subject"] == subject } ?? [:] }
  }

  private func check(_ further: [String: String] = [:]) throws -> Report {
    let environment = pcscd.environment.merging(further) { $1 }
    return try Report(
      TapProgram.finish(TapProgram.start(["readers", "--check", "--format", "json"], environment: environment)))
  }

  /// The same as a user without rights, wherever this was built.
  private func checkUnprivileged() throws -> Report {
    for name in ["tap", "tap-nfc"] where !FileManager.default.fileExists(atPath: scratch.path(name)) {
      try TapProgram.copy(name, to: scratch)
    }
    chmod(scratch.directory.path, 0o755)
    let command = [scratch.path("tap"), "readers", "--check", "--format", "json"]
    let unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    // Only root has rights to give up; another user is refused anyway.
    let words = (getuid() == 0 ? unprivileged : []) + command
    return try Report(
      TapProgram.finish(ProgramRun(words[0], Array(words.dropFirst()), environment: pcscd.environment)))
  }

  @Test func `a service that answers, its readers, and tap-nfc`() throws {
    let report = try check()
    #expect(report["reader service"]["verdict"] == "ok")
    #expect(report["reader service"]["detail"] == "pcscd answers at \(pcscd.socketPath) and has 2 readers")
    for name in pcscd.readerNames { #expect(report["pcsc:\(name)"]["detail"] == "no card") }
    #expect(report["tap-nfc"]["verdict"] == "ok")
    let problems = report.findings.filter { $0["verdict"] == "problem" }
    #expect(report.code == (problems.isEmpty ? 0 : 1))
    #expect(problems.allSatisfy { $0["remedy"]?.isEmpty == false })
  }

  @Test func `a missing service is a missing socket, or a socket without a process`() throws {
    let missing = try check(["PCSCLITE_CSOCK_NAME": scratch.path("nothing")])
    #expect(missing.code == 2)
    #expect(missing["pcscd"]["verdict"] == "ok")
    #expect(missing["reader service"]["verdict"] == "problem")
    #expect(missing["reader service"]["detail"]?.contains("no socket at \(scratch.path("nothing"))") == true)
    #expect(missing["reader service"]["remedy"]?.hasPrefix("unset PCSCLITE_CSOCK_NAME   # or start") == true)
    pcscd.kill()
    let dead = try check()
    #expect(dead.code == 2)
    #expect(dead["reader service"]["detail"]?.contains("no process answers at \(pcscd.socketPath)") == true)
    #expect(dead["reader service"]["remedy"]?.contains("systemctl restart") == true)
    let file = try check(["PCSCLITE_CSOCK_NAME": scratch.write("file", "")])
    #expect(file["reader service"]["detail"]?.hasSuffix("is no socket") == true)
  }

  @Test func `a socket without permission for this user is a problem`() throws {
    chmod(pcscd.directory, 0)
    let hidden = try checkUnprivileged()
    chmod(pcscd.directory, 0o755)
    chmod(pcscd.socketPath, 0)
    let refused = try checkUnprivileged()
    chmod(pcscd.socketPath, 0o666)
    let welcome = try checkUnprivileged()
    #expect([hidden.code, refused.code] == [2, 2])
    #expect(hidden["reader service"]["detail"]?.contains("may not search the directory") == true)
    #expect(hidden["reader service"]["remedy"] == "sudo chmod o+x \(pcscd.directory)")
    #expect(refused["reader service"]["detail"]?.contains("may not connect to \(pcscd.socketPath) (0000") == true)
    #expect(refused["reader service"]["remedy"] == "sudo chmod o+rw \(pcscd.socketPath)")
    #expect(welcome["reader service"]["verdict"] == "ok")
  }

  @Test func `a reader that another program keeps to itself`() throws {
    let journal = ResponderJournal()
    let gate = ScriptedResponder.Gate()
    let link = try VPCDLink(port: pcscd.port)
    let card = serving(link, ScriptedResponder(pace: .held(gate), journal: journal))
    let other = try TapProgram.start(
      ["accept", "--reader", "pcsc:\(pcscd.readerNames[0])", "--amount", "1", "--currency", "978"],
      environment: pcscd.environment)
    #expect(journal.wait(timeout: .seconds(60)) { _ in !journal.commands.isEmpty })
    let report = try check()
    #expect(report.code == 2)
    #expect(report["pcsc:\(pcscd.readerNames[0])"]["verdict"] == "problem")
    #expect(
      report["pcsc:\(pcscd.readerNames[0])"]["detail"]?.contains("another program has the card to itself") == true)
    #expect(report["pcsc:\(pcscd.readerNames[1])"]["verdict"] == "ok")
    gate.open()
    _ = try TapProgram.finish(other)
    link.stop()
    try card.join()
  }

  @Test func `a serial port that another tap-nfc holds, one that is not there, and one that is free`() throws {
    let lab = try TapProgram.start(["lab", "pn532", "--format", "json", "--pace", "none"])
    #expect(lab.wait(timeout: .seconds(60)) { $0.output.contains("\n") })
    let line = try #require(lab.output.split(separator: "\n").first)
    let names = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    let connstring = try #require(names["connstring"])
    let subject = "serial port \(connstring.split(separator: ":")[1])"
    #expect(try check(["LIBNFC_DEVICE": connstring])[subject]["verdict"] == "ok")

    let other = try TapProgram.start(
      ["accept", "--reader", "nfc:\(connstring)", "--amount", "1", "--currency", "978", "--timeout", "100"])
    #expect(other.wait(timeout: .seconds(60)) { $0.errors.contains("Waiting for a card at") }, "\(other.errors)")
    let held = try check(["LIBNFC_DEVICE": connstring])
    #expect(held.code == 2)
    let detail = try #require(held[subject]["detail"])
    let match = try #require(detail.wholeMatch(of: /tap-nfc holds it \(process (\d+)\)/), "\(detail)")
    #expect(held[subject]["remedy"] == "kill \(match.1)")
    other.signal(SIGTERM)
    _ = try other.finish()
    lab.signal(SIGINT)
    _ = try lab.finish()

    let missing = try check(["LIBNFC_DEVICE": "pn532_uart:/dev/ttyUSB99"])
    #expect(missing.code == 2)
    #expect(missing["serial port /dev/ttyUSB99"]["detail"]?.contains("does not exist") == true)
  }
}

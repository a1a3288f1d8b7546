import Fixtures
import Foundation
import TestSupport
import Testing

/// How the program ends when a signal or a closed pipe ends it, and where its errors go.
@Suite("End of the program", .blocks, .timeLimit(.minutes(20)))
struct ProgramEndTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// pcscd is not there, so that the first line is the only one.
  private var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": scratch.path("nowhere")] }

  @Test func `readers --watch ends when the reader of its output has gone`() throws {
    let run = try ProgramRun(
      "sh", ["-c", "\(TapProgram.path) readers --watch | head -n 1"], environment: environment)
    #expect(try run.finish(timeout: .seconds(60)) == .exited(0))
    #expect(run.output.split(separator: "\n").count == 1, "\(run.output)")
  }

  /// A recording of a payment with one change: exit code, the host's decision, what is replaced, the replacements.
  static let hosts: [(code: Int32, decision: String, changes: [(String, String)])] = [
    (0, "approved", []),
    (2, "declined", [("#@ host: approved 000001", "#@ host: declined no money")]),
    (2, "unknown card", [("#@ host: approved 000001", "#@ host: unknown")]),
    // The test issuer decides: it knows the card, and the cryptogram is wrong.
    (2, "declined", [("#@ host: approved 000001\n", ""), ("9F26081286", "9F26081287")]),
    // The same with a card that the test issuer does not know.
    (
      2, "unknown card",
      [
        ("#@ host: approved 000001\n", ""), ("9F26081286", "9F26081287"),
        ("4761739001010010", DisclosureTests.number),
      ]
    ),
  ]

  @Test(arguments: hosts.indices)
  func `accept ends with 0 when approved, and with 2 when declined and for an unknown card`(_ row: Int) throws {
    let (code, decision, changes) = Self.hosts[row]
    var text = String(decoding: try Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self)
    for (from, to) in changes {
      #expect(text.contains(from))
      text = text.replacingOccurrences(of: from, with: to)
    }
    let run = try TapProgram.run(
      "accept", "--reader", "replay:\(try scratch.write("tap.txt", text))", "--amount", "12.34", "--currency", "978",
      "--format", "json")
    #expect(run.code == code, "\(run.output)\(run.errors)")
    #expect((try run.json()["host"] as? [String: Any])?["decision"] as? String == decision, "\(run.output)")
  }

  @Test func `SIGQUIT ends the program without a crash report`() throws {
    let run = try TapProgram.start(["readers", "--watch"], environment: environment)
    #expect(run.wait(timeout: .seconds(60)) { !$0.output.isEmpty }, "\(run.errors)")
    run.signal(SIGQUIT)
    let ending = try run.finish(timeout: .seconds(60))
    #expect(ending == .exited(0) || ending == .killed(signal: SIGQUIT), "\(ending)")
    #expect(!run.errors.contains("Crash") && !run.errors.contains("Backtrace"), "\(run.errors)")
  }

  @Test func `present waits for a terminal only when it is connected`() throws {
    // Nothing listens at port 1.
    let run = try TapProgram.run("present", "--link", "vpcd:127.0.0.1:1", "--card", TapProgram.card("visa-cvn18"))
    #expect(run.code == 3)
    #expect(run.errors.contains("Verified.") && !run.errors.contains("Waiting for a terminal"), "\(run.errors)")
    #expect(run.output.isEmpty, "\(run.output)")
  }

  @Test func `present writes the error of a payment to standard error`() throws {
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--user", "cancel")
    #expect(run.code == 2)
    #expect(run.output.isEmpty, "\(run.output)")
    #expect(run.errors.contains("error: payment 1: cancelled"), "\(run.errors)")
  }

  @Test func `present reports a device that cannot be opened as JSON`() throws {
    let run = try TapProgram.run(
      "present", "--link", "nfc:pn532_uart:/dev/none", "--card", TapProgram.card("visa-cvn18"), "--format", "json")
    #expect(run.code == 3, "\(run.errors)")
    let error = try #require(try run.json()["error"] as? [String: Any])
    #expect(error["code"] as? String == "readerUnavailable")
    #expect((error["message"] as? String)?.contains("/dev/none") == true)
  }

  @Test func `present reports a virtual reader that does not answer as JSON`() throws {
    let run = try TapProgram.run(
      "present", "--link", "vpcd:127.0.0.1:1", "--card", TapProgram.card("visa-cvn18"), "--format", "json")
    #expect(run.code == 3, "\(run.errors)")
    #expect(try run.errorCode() == "transmissionError")
    #expect((try run.json()["message"] as? String)?.contains("127.0.0.1 port 1") == true)
  }

  @Test func `an unarmed card that refused ends with exit code 2`() throws {
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--unarmed")
    #expect(run.code == 2, "\(run.errors)")
    #expect(run.output.contains("payment 1: refused: the card is not armed"), "\(run.output)")
  }
}

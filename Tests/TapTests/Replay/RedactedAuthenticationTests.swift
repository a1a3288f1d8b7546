import Foundation
import TestSupport
import Testing

/// Recordings of cards that the terminal authenticated, after a redaction: they have no certificates left.
@Suite("Replays of redacted recordings with offline data authentication", .blocks, .timeLimit(.minutes(20)))
struct RedactedAuthenticationTests {
  /// Records a payment and redacts the recording, as `tap accept --record` does for a card that is no test card.
  private static func redacted(
    _ card: String, in scratch: Scratch, terminal: String = "offline", code: Int32 = 0
  ) throws -> String {
    let file = scratch.path("whole.txt")
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card(card))", "--terminal", TapProgram.terminal(terminal),
      "--amount", "12.34", "--currency", "EUR", "--record", file)
    #expect(run.code == code, "\(run.output)\(run.errors)")
    let redacted = scratch.path("redacted.txt")
    #expect(try TapProgram.run("redact", file, "-o", redacted).code == 0)
    return redacted
  }

  private static func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  @Test(arguments: ["visa-fdda", "mastercard-cda"])
  func `the recorded verdict takes the place of the check, and the replay reports it`(_ card: String) throws {
    let scratch = try Scratch()
    let file = try Self.redacted(card, in: scratch)
    let text = try Self.text(file)
    #expect(text.contains("\n#@ authentication: passed\n"), "\(text.prefix(400))")
    let run = try TapProgram.run("replay", file)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(
      run.errors.contains("offline data authentication is not judged") && run.errors.contains("is taken: passed"),
      "\(run.errors)")
    // A recording of an earlier version, without the directive, differs as before.
    let old = text.replacingOccurrences(of: "#@ authentication: passed\n", with: "")
    #expect(try TapProgram.run("replay", scratch.write("old.txt", old)).code == 2)
  }

  @Test func `a recorded failure is taken too, and ends the payment as it did`() throws {
    let scratch = try Scratch()
    let file = try Self.redacted("visa-fdda", in: scratch, terminal: "offline-revoked", code: 2)
    #expect(try Self.text(file).contains("\n#@ authentication: failed revoked\n"))
    let run = try TapProgram.run("replay", file)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("is taken: failed revoked"), "\(run.errors)")
  }

  /// A verdict in place of the recorded one, and what the replay reports.
  @Test(arguments: [
    ("visa-fdda", "failed hash 9F4B", Int32(2), "\"declined\", not \"approved\""),
    // Known before the cryptogram: no signature is asked for.
    ("mastercard-cda", "failed hash 9F46", 2, "P1"),
    ("mastercard-cda", "passed, failed hash 9F4B", 2, "\"end application\", not \"approved\""),
    ("mastercard-cda", "passed, passed, failed revoked", 0, "reproduced"),
    ("visa-fdda", "perhaps", 2, "holds \"perhaps\": passed, or failed and the name of a check, is expected"),
  ])
  func `another verdict than the recorded one ends the payment in its own way`(
    _ card: String, _ verdict: String, _ code: Int32, _ message: String
  ) throws {
    let scratch = try Scratch()
    let text = try Self.text(Self.redacted(card, in: scratch))
    let changed = text.replacingOccurrences(of: "#@ authentication: passed", with: "#@ authentication: \(verdict)")
    let run = try TapProgram.run("replay", scratch.write("changed.txt", changed))
    #expect(run.code == code, "\(run.output)")
    #expect(run.output.contains(message), "\(run.output)")
  }

  @Test func `a recording with certificates is checked, whatever verdict it holds`() throws {
    let scratch = try Scratch()
    _ = try Self.redacted("visa-fdda", in: scratch)
    let changed = try Self.text(scratch.path("whole.txt"))
      .replacingOccurrences(of: "#@ authentication: passed", with: "#@ authentication: failed revoked")
    #expect(changed.contains("failed revoked"))
    let run = try TapProgram.run("replay", scratch.write("changed.txt", changed))
    #expect(run.code == 0 && !run.errors.contains("not judged"), "\(run.output)\(run.errors)")
  }

  @Test func `accept and decode say that a redacted recording is not judged`() throws {
    let scratch = try Scratch()
    let file = try Self.redacted("visa-fdda", in: scratch)
    let accept = ["accept", "--reader", "replay:\(file)", "--amount", "12.34", "--currency", "EUR"]
    let run = try TapProgram.finish(TapProgram.start(accept))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("offline data authentication: not judged, recorded as passed"), "\(run.output)")
    try OutputSchema.check("accept", accept)
    let json = try TapProgram.finish(TapProgram.start(accept + ["--format", "json"])).json()
    #expect((json["dataAuthentication"] as? [String: Any])?["recorded"] as? Bool == true, "\(json)")
    let decoded = try TapProgram.run("decode", file)
    #expect(
      decoded.output.contains("not judged: the recording is redacted; the terminal's verdict: passed"),
      "\(decoded.output.suffix(300))")
  }
}

import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap send`, as its users run it.
@Suite("tap send", .blocks, .timeLimit(.minutes(20)))
struct SendTests {
  static let environmentName = "00A404000E325041592E5359532E444446303100"
  static let visa = "loopback:\(TapProgram.card("visa-cvn18"))"
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A card that responses SELECT in parts and GET DATA with another Le, as a recording.
  func inParts() throws -> String {
    try scratch.write(
      "parts.txt",
      """
      00A4040007A000000003101000
      6106
      00C0000006
      8404A00000039000
      80CA9F3600
      6C05
      80CA9F3605
      9F360200079000
      """)
  }

  func exchanges(_ run: TapProgram.Run) throws -> [[String: Any]] {
    try #require(run.json()["exchanges"] as? [[String: Any]])
  }

  @Test func `a command is shown with its response in words`() throws {
    let run = try TapProgram.run(
      "send", "--reader", Self.visa, Self.environmentName, "00A4040007A000000003101000", "80 CA 9F:36 00")
    #expect(run.code == 0, "\(run.errors)")
    for line in ["1. SELECT  9000", "   > 00A40400", "\"2PAY.SYS.DDF01\"", "3. GET DATA  9000", "(ATC): 0000"] {
      #expect(run.output.contains(line), "\(line) is missing in \(run.output)")
    }
  }

  @Test func `61xx and 6Cxx are followed up, and each exchange names its cause`() throws {
    let reader = "replay:\(try inParts())"
    let run = try TapProgram.run("send", "--reader", reader, "00A4040007A000000003101000", "80CA9F3600")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("2. GET RESPONSE  9000"))
    #expect(run.output.contains("(sent because the card answered 6106: 6 bytes available)"))
    #expect(run.output.contains("(sent again because the card answered 6C05: wrong Le, 5 bytes available)"))
    let report = try TapProgram.run(
      "send", "--reader", reader, "--format", "json", "00A4040007A000000003101000", "80CA9F3600")
    #expect(
      try exchanges(report).compactMap { $0["cause"] as? String } == ["asked", "getResponse", "asked", "correctedLe"])
    #expect(try exchanges(report).compactMap { $0["status"] as? String } == ["6106", "9000", "6C05", "9000"])
  }

  @Test func `--raw sends bytes that are no command and follows up no response`() throws {
    let file = try scratch.write("raw.txt", "00A4\n6700\n80CA9F3600\n6C05\n")
    let run = try TapProgram.run("send", "--reader", "replay:\(file)", "--raw", "00A4", "80CA9F3600")
    #expect(run.code == 2, "\(run.errors)")
    #expect(run.output.contains("2. GET DATA  6C05"))
    #expect(!run.output.contains("3. "))
  }

  @Test func `--fail-fast ends at the first refusal`() throws {
    let commands = ["00B2011400", Self.environmentName]
    let all = try TapProgram.finish(
      TapProgram.start(["send", "--reader", Self.visa, "--format", "json"] + commands))
    #expect(all.code == 2)
    #expect(try exchanges(all).count == 2)
    let first = try TapProgram.finish(
      TapProgram.start(["send", "--reader", Self.visa, "--format", "json", "--fail-fast"] + commands))
    #expect(first.code == 2)
    #expect(try exchanges(first).count == 1)
  }

  @Test func `a script's commands follow those of the command line, and a recording of them replays`() throws {
    let script = try scratch.write("script.txt", "# the counter\n80CA9F3600 # ATC\n\n  // nothing\n80 CA 9F 17 00\n")
    let file = scratch.path("recorded.txt")
    let run = try TapProgram.run(
      "send", "--reader", Self.visa, Self.environmentName, "00A4040007A000000003101000", "--script", script,
      "--record", file, "--format", "json")
    #expect(run.code == 0, "\(run.errors)")
    #expect(try exchanges(run).count == 4)
    let again = try TapProgram.run(
      "send", "--reader", "replay:\(file)", Self.environmentName, "00A4040007A000000003101000", "--script", script)
    #expect(again.code == 0, "\(again.errors)")
    let other = try TapProgram.run("send", "--reader", "replay:\(file)", "80CA9F3600", "--format", "json")
    #expect(other.code == 2)
    #expect((try other.json()["error"] as? [String: Any])?["code"] as? String == "recordingDiffers")
  }

  @Test func `account numbers are masked, in the recording too, and a PIN is never shown`() throws {
    let number = "4929000000000003"
    let file = try scratch.write(
      "card.txt", "00B2010C00\n700A5A08\(number)9000\n0020008008241234FFFFFFFFFF\n63C2\n")
    let record = scratch.path("masked.txt")
    let run = try TapProgram.run(
      "send", "--reader", "replay:\(file)", "00B2010C00", "0020008008241234FFFFFFFFFF", "--record", record)
    #expect(run.code == 0, "\(run.errors)")
    let recorded = try String(contentsOfFile: record, encoding: .utf8)
    for text in [run.output, run.errors, recorded] {
      #expect(!text.contains(number))
      #expect(!text.contains("08241234"))
    }
    #expect(run.output.contains("VERIFY"))
    let all = try TapProgram.run(
      "send", "--reader", "replay:\(file)", "00B2010C00", "0020008008241234FFFFFFFFFF", "--unmasked")
    #expect(all.output.contains(number))
    #expect(!all.output.contains("08241234"))
  }

  /// Arguments after `send`, exit code, and what the message names.
  static let mistakes: [(arguments: [String], code: Int32, names: [String])] = [
    (["--reader", visa], 64, ["--script FILE"]),
    ([environmentName], 64, ["--reader"]),
    (["--reader", "pcsc", environmentName], 64, ["pcsc"]),
    (["--reader", visa, "00A4"], 2, ["00A4", "at least 4", "--raw"]),
    (["--reader", visa, "00A40400"], 2, []),
    (["--reader", visa, "00A4040005A0"], 2, ["00A4040005A0", "--raw"]),
    (["--reader", visa, "xyz"], 2, ["xyz", "character 0"]),
    (["--reader", visa, "0"], 2, ["\"0\""]),
    (["--reader", visa, ""], 2, ["0 bytes"]),
    (["--reader", visa, "--raw", "00"], 2, ["1 byte"]),
    (["--reader", visa, "FFCA000000"], 2, ["FFCA000000", "PC/SC reader"]),
    (["--reader", visa, "--script", "/nonexistent"], 1, ["/nonexistent", "No such file"]),
    (["--reader", visa, "--script", "/dev/null"], 2, ["/dev/null", "no command"]),
    (["--reader", visa, "--script", "/"], 1, ["/ cannot be read"]),
    (["--reader", visa, environmentName, "--timeout", "0"], 64, ["--timeout 0", "1...3600"]),
    (["--reader", visa, environmentName, "--timeout", "x"], 64, ["--timeout"]),
    (["--reader", visa, environmentName, "--record", "/nonexistent/file"], 1, ["/nonexistent"]),
    (["--reader", visa, environmentName, "--record", "/dev/full"], 1, ["/dev/full", "No space left"]),
    (["--reader", "loopback:/nonexistent", environmentName], 1, ["/nonexistent", "No such file"]),
    (["--reader", "replay:/dev/null", environmentName], 2, []),
    (["--reader", "nfc:pn532_uart:/dev/nonexistent", environmentName], 3, ["/dev/nonexistent"]),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake has its exit code, and its message on standard error names place and value`(_ row: Int) throws {
    let (arguments, code, names) = Self.mistakes[row]
    let run = try TapProgram.finish(TapProgram.start(["send"] + arguments))
    #expect(run.code == code, "\(arguments): \(run.output)\(run.errors)")
    for name in names { #expect(run.errors.contains(name), "\(arguments): \(run.errors)") }
    if code != 2 { #expect(run.errors.contains("error: "), "\(run.errors)") }
  }

  @Test func `a card that does not answer is not taken for another program`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
    let reader = "pcsc:\(pcscd.readerNames[0])"
    let known = try TapProgram.run(
      "send", "--reader", reader, "--timeout", "60", Self.environmentName, environment: pcscd.environment)
    #expect(known.code == 0, "\(known.errors)")
    // Without power the card must answer before a program is connected to it.
    let program = """
      from smartcard.System import readers
      connection = [r for r in readers() if str(r) == "\(pcscd.readerNames[0])"][0].createConnection()
      connection.connect()
      connection.disconnect()
      """
    let unpowered = try ProgramRun(OracleTests().python(), ["-c", program], environment: pcscd.environment)
    #expect(try unpowered.finish() == .exited(0), "\(unpowered.errors)")
    card.signal(SIGSTOP)
    let run = try TapProgram.run("send", "--reader", reader, Self.environmentName, environment: pcscd.environment)
    card.signal(SIGKILL)
    #expect(try card.finish() == .killed(signal: SIGKILL))
    #expect(run.code == 3)
    #expect(run.errors.contains("the card has not answered within 5 s. Remove the card"), "\(run.errors)")
    #expect(!run.errors.contains("another program"), "\(run.errors)")
  }

  @Test func `all wrong lines of a script are named at once`() throws {
    let script = try scratch.write("wrong.txt", "00A4\n80CA9F3600\nzz\n")
    let run = try TapProgram.run("send", "--reader", Self.visa, "--script", script)
    #expect(run.code == 2)
    #expect(run.errors.contains("line 1: \"00A4\" is no command"))
    #expect(run.errors.contains("line 3: \"zz\" is no command"))
    #expect(run.output.isEmpty)
  }
}

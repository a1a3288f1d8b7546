import Fixtures
import Foundation
import TestSupport
import Testing

/// The JSON of every command is as `Fixtures/Schemas/output.schema.json` describes it.
@Suite("The JSON of all commands", .blocks, .timeLimit(.minutes(20)))
struct OutputSchemaTests {
  private static let visa = TapProgram.card("visa-cvn18")
  private static let recording = Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path

  /// Definition, command line and exit code. DIR stands for a folder of the test.
  static let rows: [(definition: String, line: String, code: Int32)] = [
    ("version", "version", 0), ("examples", "examples", 1), ("demo", "demo", 0), ("demo", "demo --card /nowhere", 1),
    ("accept", "accept --reader loopback:\(visa) --amount 12.34 --currency EUR", 0),
    ("accept", "accept --reader loopback:\(visa) --amount 12.34 --currency EUR --issuer none", 2),
    ("accept", "accept --reader loopback:\(TapProgram.card("mastercard-magstripe")) --amount 1 --currency EUR", 0),
    ("accept", "accept --reader loopback:\(visa) --amount 99999 --currency EUR", 2),
    ("accept", "accept --reader replay:\(recording) --amount 5 --currency EUR", 2),
    ("accept", "accept --reader loopback:/nowhere --amount 1 --currency EUR", 1),
    ("present", "present --link loopback --card \(visa)", 0),
    ("present", "present --link loopback --card \(visa) --user cancel", 2),
    ("present", "present --link loopback --card \(visa) --unarmed", 2),
    ("send", "send --reader loopback:\(visa) 00A404000E325041592E5359532E444446303100 00B2010C00", 2),
    ("dump", "dump --reader loopback:\(visa)", 0), ("send", "send --reader loopback:/nowhere 00B2010C00", 1),
    ("test", "test --reader loopback \(Fixtures.url("Scenarios/visa-low-value.yaml").path) --repeat 3", 0),
    ("test", "test --reader loopback DIR/fails.yaml", 2), ("test", "test --reader loopback /nowhere", 1),
    ("replay", "replay \(recording)", 0), ("replay", "replay \(Fixtures.url("Transcripts").path)", 2),
    ("replay", "replay DIR/fails.yaml", 2), ("replay", "replay /nowhere", 1),
    ("decode", "decode 9F36020001 5F2A020978", 0), ("decode", "decode 3B80800101", 0),
    ("decode", "decode \(recording)", 0), ("decode", "decode 9F36030001", 2), ("decode", "decode zz", 2),
    ("bench", "bench --link direct --taps 30 --save DIR/saved.json", 0),
    ("bench", "bench --link direct --taps 30 --compare DIR/saved.json", 0), ("bench", "bench --card /nowhere", 1),
    ("bench", "bench --over phone,424k,acr122u", 0), ("bench", "bench --over 106k --recording \(recording)", 0),
    ("bench", "bench --over 106k --recording /nowhere", 1),
    ("card check", "card check \(visa)", 0), ("card check", "card check DIR/empty.json /nowhere", 1),
    ("terminal check", "terminal check \(TapProgram.terminal("attended-eur"))", 0),
    ("terminal check", "terminal check DIR/empty.json", 2),
    ("wallet add", "wallet add --wallet DIR/w --card \(visa) --id first --expires 2049-01-31", 0),
    ("wallet add", "wallet add --wallet DIR/w --card \(visa) --id first", 2),
    ("wallet list", "wallet list --wallet DIR/w", 0), ("wallet list", "wallet list --wallet /nowhere", 1),
    ("wallet default", "wallet default --wallet DIR/w first", 0),
    ("wallet default", "wallet default --wallet DIR/w second", 2),
    ("present", "present --link loopback --wallet DIR/w --digital-card second", 2),
    ("wallet suspend", "wallet suspend --wallet DIR/w first", 0),
    ("wallet resume", "wallet resume --wallet DIR/w first", 0),
    ("wallet status", "wallet status --wallet DIR/w", 0), ("wallet status", "wallet status --wallet /nowhere", 1),
    ("wallet keys", "wallet keys --wallet DIR/w", 0), ("wallet replenish", "wallet replenish --wallet DIR/w first", 0),
    ("wallet replenish", "wallet replenish --wallet DIR/w second", 2),
    ("device enrol", "device enrol --wallet DIR/w", 0),
    ("device enrol", "device enrol --wallet DIR/w --policy userPresence", 2),
    ("wallet retire", "wallet retire --wallet DIR/w first", 0),
    ("wallet delete", "wallet delete --wallet DIR/w first", 0),
    ("wallet reset", "wallet reset --wallet DIR/w", 0), ("wallet reset", "wallet reset --wallet /nowhere", 1),
    ("device simulate", "device simulate --device DIR/phone --passcode on", 0),
    ("device simulate", "device simulate --device /nowhere/x", 1),
    ("device check", "device check --socket DIR/none", 2),
    ("device keys list", "device keys list --socket DIR/none", 1),
    ("device keys delete", "device keys delete --socket DIR/none 00", 1),
    ("lab pcsc", "lab pcsc --card /nowhere", 1), ("lab pn532", "lab pn532 --card /nowhere", 1),
    ("lab usb", "lab usb --list", 0), ("lab usb", "lab usb --device /nowhere", 1),
  ]

  @Test func `the output of every command is as its definition says`() throws {
    let scratch = try Scratch()
    _ = try scratch.write("empty.json", "{}")
    _ = try scratch.write(
      "fails.yaml", "{name: a, card: {file: \(Self.visa)}, amount: 1.00, currency: EUR, expect: {outcome: declined}}")
    for row in Self.rows {
      let words = row.line.replacingOccurrences(of: "DIR/", with: scratch.path("") + "/").split(separator: " ")
      try OutputSchema.check(row.definition, words.map(String.init), code: row.code)
    }
  }

  @Test func `the output at a simulated PC/SC reader is as its definitions say`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let address = "pcsc:\(lab.name)"
    let watch = try TapProgram.start(["readers", "--watch", "--format", "json"], environment: lab.environment)
    // A program that starts late would find the card removed already.
    #expect(watch.wait(timeout: .seconds(60)) { $0.output.contains("answerToReset") }, "\(watch.errors)")
    let payment = ["accept", "--reader", address, "--amount", "1", "--currency", "EUR", "--timeout", "60"]
    try OutputSchema.check("accept", payment, environment: lab.environment)
    try OutputSchema.check("readers", ["readers"], environment: lab.environment)
    let checked = try TapProgram.run("readers", "--check", "--format", "json", environment: lab.environment)
    #expect(try OutputSchema.refused(checked.output, "readers") == "")
    #expect(watch.wait(timeout: .seconds(60)) { $0.output.contains("cardRemoved") }, "\(watch.output)")
    watch.signal(SIGINT)
    #expect(try watch.finish() == .exited(0))
    #expect(try OutputSchema.refused(watch.output, "readers") == "")
    #expect(lab.program.wait(timeout: .seconds(30)) { $0.output.contains("\"payment\":1") })
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish() == .exited(0))
    #expect(try OutputSchema.refused(lab.program.output, "lab pcsc") == "")
  }

  @Test(arguments: ["pn532", "pair"])
  func `what a lab with chips prints can be passed on`(_ name: String) throws {
    let lab = try LabProgram(name)
    #expect(lab["address"].hasPrefix("nfc:"))
    try lab.finish()
    #expect(try OutputSchema.refused(lab.program.output, "lab \(name)") == "")
  }

  @Test func `faults on standard error are as their definition says`() throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card("faulty-chained"))", "--faults", "--amount", "1", "--currency",
      "EUR", "--format", "json")
    let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(!lines.isEmpty, "\(run.errors)")
    #expect(try OutputSchema.refused(lines.joined(separator: "\n"), "fault") == "")
  }

  @Test(arguments: [
    (#"{"error":{"code":"failed"}}"#, "accept"), (#"{"error":"failed"}"#, "present"), (#"{"reader":"a"}"#, "readers"),
    (#"{"deleted":"a","more":1}"#, "wallet delete"), (#"{"removed":-1}"#, "wallet reset"),
    (#"{"time":"2026-11-23T01:00:00","event":"serviceLost"}"#, "readers"), ("[]", "version"),
  ])
  func `an output that differs from its definition is refused`(_ line: String, _ definition: String) throws {
    #expect(try OutputSchema.refused(line, definition) != "")
  }

  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        let name: String
      }

      let preferredName: Name?
      let allValues: [String]?
    }

    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// The names of the commands that print JSON.
    func printing(_ parents: [String] = []) -> [String] {
      let own = (arguments ?? []).contains {
        $0.preferredName?.name == "format" && $0.allValues?.contains("json") == true
      }
      let name = parents + [commandName]
      return (own ? [name.dropFirst().joined(separator: " ")] : [])
        + (subcommands ?? []).flatMap { $0.printing(name) }
    }
  }

  private struct Description: Decodable {
    let command: Command
  }

  @Test func `every command that prints JSON has a definition, and its output is checked`() throws {
    let described = try TapProgram.run("--experimental-dump-help")
    let commands = try JSONDecoder().decode(Description.self, from: Data(described.output.utf8)).command.printing()
    #expect(commands.count > 25, "\(commands)")
    #expect(Set(commands).subtracting(try OutputSchema.definitions()) == [])
    // Labs and readers are run by the other tests.
    #expect(Set(commands).subtracting(Self.rows.map(\.definition)).subtracting(["readers", "lab pair"]) == [])
  }
}

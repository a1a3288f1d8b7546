import Fixtures
import Foundation
import TestSupport
import Testing

@testable import tap

/// The output for people at terminals of different widths, which script (util-linux) makes.
@Suite("Narrow terminals", .blocks, .timeLimit(.minutes(20)))
struct NarrowTerminalTests {
  private static let visa = TapProgram.card("visa-cvn18")
  private static let fixtures = Fixtures.url("Cards").deletingLastPathComponent().path

  /// Runs a line of a shell at a terminal, and returns its lines without colours.
  private func lines(_ line: String, columns: Int, in scratch: Scratch) throws -> [String] {
    let command = "stty cols \(columns); cd \(scratch.directory.path); alias tap=\(TapProgram.path); eval '\(line)'"
    let run = try ProgramRun(
      "script", ["--quiet", "--return", "--command", command, "/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": "", "SHELL": "/bin/sh"])
    _ = try run.finish(timeout: .seconds(120))
    return run.output.replacing("\r\n", with: "\n").split(separator: "\n").map { line in
      let shown = line.split(separator: "\r").last ?? ""
      return String(shown).replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "" as String)
    }
  }

  /// Lines that print tables, exchanges, profiles, problems, reports, errors and help.
  static let cases = [
    "tap demo", "tap demo --verbose", "tap accept --reader loopback:\(visa) --amount 12.34 --currency EUR --verbose",
    "tap accept --reader loopback:\(visa) --amount 12.34 --currency EUR --issuer none",
    "tap accept --reader loopback:\(visa) --amount 12.34 --currency SEK", "tap accept --help", "tap wallet add --help",
    "tap send --reader loopback:\(visa) 00A404000E325041592E5359532E444446303100 00A4040007A0000000031010 00B2010C00",
    "tap dump --reader loopback:\(visa)", "tap replay \(fixtures)/Transcripts/*-terminal.txt --verbose",
    "tap decode \(fixtures)/Transcripts/visa-cvn18-terminal.txt", "tap decode 3B8F8001804F0CA000000306030001000000006A",
    "tap decode 9F10200FA501A298C00000000000000000000F0F000000000000000000000000000000",
    "tap card show \(visa)", "tap card keys", "tap terminal keys",
    "tap card check \(fixtures)/Crashers/profile-wrong-kinds.json",
    "tap terminal show \(fixtures)/Terminals/attended-eur.json", "tap card new --scheme visa -o card.json",
    "tap terminal new -o terminal.json", "tap bench --link direct --card \(visa) --taps 1000",
    "tap bench --link loopback --card \(visa) --taps 30", "tap version", "tap readers",
    "tap test \(fixtures)/Scenarios/visa-low-value.yaml \(fixtures)/Scenarios/torn-card.yaml --reader loopback -v --slowest 3",
    "tap test \(fixtures)/Scenarios --reader loopback --list", "tap lab pair --timeout 1",
    "tap lab pn532 --card \(visa) --timeout 1",
    "tap wallet add --wallet w --card \(fixtures)/Cards/co-badged.json --id card && tap wallet add --wallet w --card \(visa)"
      + " && tap wallet list --wallet w && tap wallet keys --wallet w && tap present --wallet w --link loopback --verbose",
    "tap device simulate --device phone --passcode on --biometric enrol", "tap device check",
  ]

  @Test(arguments: cases, [80, 60, 40])
  func `no line is wider than the terminal, and no word and no byte is broken`(_ line: String, _ columns: Int) throws {
    let lines = try lines(line, columns: columns, in: Scratch())
    #expect(!lines.isEmpty, "\(line)")
    for shown in lines where shown.count > columns {
      // A path that is wider than the terminal stays whole.
      #expect(!shown.drop { $0 == " " }.dropLast(shown.hasSuffix(" \\") ? 2 : 0).contains(" "), "\(line): \(shown)")
    }
    let octets = lines.flatMap { $0.split(separator: " ") }.filter { $0.count > 16 && $0.allSatisfy(\.isHexDigit) }
    #expect(octets.allSatisfy { $0.count.isMultiple(of: 2) }, "\(line): \(octets)")
  }

  @Test func `a wallet is listed as a table at a terminal, and in lines elsewhere`() throws {
    let scratch = try Scratch()
    let add = try TapProgram.run("wallet", "add", "--wallet", scratch.path("w"), "--card", Self.visa, "--id", "visa")
    #expect(add.code == 0, "\(add.errors)")
    let shown = try lines("tap wallet list --wallet w", columns: 80, in: scratch)
    #expect(shown.count == 2, "\(shown)")
    #expect(
      shown[0].split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) } == [
        "card", "state", "default", "payments left", "name",
      ])
    #expect(shown[1].hasPrefix("visa  active  yes "), "\(shown)")
    let piped = try TapProgram.run("wallet", "list", "--wallet", scratch.path("w"))
    #expect(piped.output.hasPrefix("visa: "), "\(piped.output)")
  }

  @Test(arguments: [80, 120])
  func `a measurement has a line for each command at 80 columns, and one unit`(_ columns: Int) throws {
    let shown = try lines("tap bench --link loopback --card \(Self.visa) --taps 20", columns: columns, in: Scratch())
    let unit = try #require(shown.first { $0.hasPrefix("ns") || $0.hasPrefix("us") }).prefix(2)
    // On a busy machine one value can be so long that the values have a line of their own.
    let row = try #require(shown.firstIndex { $0.hasPrefix("SELECT PPSE") })
    #expect(shown[row].contains("%") || shown[row + 1].contains("%"), "\(shown)")
    #expect(shown.last { $0.hasSuffix("s") && $0.hasPrefix("   ") }?.hasSuffix(" \(unit)") == true, "\(shown)")
  }
}

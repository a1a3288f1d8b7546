import Fixtures
import Foundation
import TestSupport
import Testing
import Transcripts

@Suite("tap convert and tap redact", .blocks, .timeLimit(.minutes(20)))
struct ConvertTests {
  static func tool(_ name: String) -> String { Fixtures.url("Transcripts/Tools/\(name)").path }

  @Test(arguments: [
    ("pcscd.log", "log"), ("pcsc-spy.log", "pcsc-spy log"), ("libnfc-target.log", "libnfc log"),
    ("cardpeek.log", "cardpeek log"), ("scriptor-output.txt", "log"),
  ])
  func `a log is converted, and its format is named on standard error`(_ file: String, _ syntax: String) throws {
    let run = try TapProgram.run("convert", Self.tool(file), "--to", "dump")
    #expect(run.code == 0)
    #expect(run.errors.contains("taken for \(syntax)"))
    #expect(run.output.contains("\n70315A08476173900101001"))
    // The result is a transcript.
    #expect(try Transcript(parsing: run.output).exchanges.count == 5)
  }

  @Test func `a conversion to JSON and on to scriptor keeps the APDUs`() throws {
    let scratch = try Scratch()
    #expect(try TapProgram.run("convert", Self.tool("pcscd.log"), "--to", "json", "-o", scratch.path("a")).code == 0)
    #expect(try TapProgram.run("convert", scratch.path("a"), "--to", "scriptor", "-o", scratch.path("b")).code == 0)
    let run = try TapProgram.run("convert", scratch.path("b"), "--to", "dump")
    let octets = { (text: String) in text.split(separator: "\n").filter { !$0.hasPrefix("#") } }
    #expect(octets(run.output) == octets(try String(contentsOfFile: Self.tool("apdu4j-dump.txt"), encoding: .utf8)))
  }

  @Test func `tshark shows the APDUs of a converted log`() throws {
    let scratch = try Scratch()
    let file = scratch.path("tap.pcapng")
    #expect(try TapProgram.run("convert", Self.tool("pcscd.log"), "--to", "pcapng", "-o", file).code == 0)
    let tshark = try ProgramRun("tshark", ["-r", file, "-T", "fields", "-e", "iso14443.inf"])
    #expect(try tshark.finish() == .exited(0))
    #expect(tshark.output.split(separator: "\n").count == 10)
    #expect(tshark.output.contains("00b2010c00"))
  }

  /// A record with the account number of a card that is not shipped.
  static let foreign = "# ATR: 3B00\n00B2010C00\n70125A0840128888888818815F200541424344459000\n"

  @Test(arguments: ["convert", "redact"])
  func `account numbers of other cards are masked without --unredacted, and lengths stay`(_ command: String) throws {
    let scratch = try Scratch()
    let file = try scratch.write("foreign.txt", Self.foreign)
    let run = try TapProgram.run(arguments: [command, file] + (command == "convert" ? ["--to", "dump"] : []))
    #expect(run.code == 0)
    #expect(!run.output.contains("4012888888881881") && !run.output.contains("4142434445"))
    #expect(run.output.contains("70125A0899999"))
    #expect(run.output.contains("5F20055858585858" + "9000"))
    let open = try TapProgram.run("convert", file, "--to", "dump", "--unredacted")
    #expect(open.output.contains("4012888888881881"))
  }

  @Test func `redaction masks the shipped test cards as well`() throws {
    let run = try TapProgram.run("redact", Self.tool("apdu4j-dump.txt"))
    #expect(run.code == 0)
    #expect(!run.output.contains("4761739001010010"))
    #expect(run.output.contains("5A0899999"))
  }

  @Test func `- stands for standard input and standard output`() throws {
    let scratch = try Scratch()
    let script = "\(TapProgram.path) redact - -o - < \(try scratch.write("foreign.txt", Self.foreign))"
    let run = try TapProgram.finish(try ProgramRun("sh", ["-c", script]))
    #expect(run.code == 0)
    #expect(run.errors.contains("standard input: taken for"))
    #expect(run.output.contains("70125A0899999"))
  }

  @Test func `an existing file is replaced with --force only`() throws {
    let scratch = try Scratch()
    let kept = try scratch.write("kept", "mine")
    let refused = try TapProgram.run("convert", Self.tool("pcscd.log"), "--to", "json", "-o", kept)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("\(kept) exists: --force writes over it"))
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "mine")
    #expect(try TapProgram.run("convert", Self.tool("pcscd.log"), "--to", "json", "-o", kept, "--force").code == 0)
    #expect(try String(contentsOfFile: kept, encoding: .utf8).hasPrefix("{"))
    let nowhere = try TapProgram.run("redact", kept, "-o", scratch.path("no/such/folder"))
    #expect(nowhere.code == 1)
    #expect(nowhere.errors.contains("cannot be written"))
  }

  @Test(arguments: [
    ["convert", "x"], ["convert", "x", "--to", "pdf"], ["convert", "--to", "dump"], ["redact"],
    ["convert", "x", "--to", "dump", "--from", "nothing"], ["redact", "x", "--force"], ["redact", "x", "-o", ""],
    ["redact", "x", "--to", "dump"],
  ])
  func `wrong usage ends with 64`(_ arguments: [String]) throws {
    #expect(try TapProgram.finish(TapProgram.start(arguments)).code == 64)
  }

  @Test(arguments: [
    ("C:00A4:90:00\n", "taken for cardpeek log: line 1: expected a status word, found \"90\""),
    ("{\"contactless-transcript\": 1, \"head\": 4012888888881881}\n", "expected a list of notes, found"),
    ("send: 00\n4012888888881881\n", "line 1"),
    ("\u{0}\u{1}\u{2}4012888888881881", "line 1"),
  ])
  func `an invalid recording ends with 2 and an error with file and line, without card data`(
    _ text: String, _ message: String
  ) throws {
    let scratch = try Scratch()
    let file = try scratch.write("bad", text)
    for arguments in [["convert", file, "--to", "json"], ["redact", file]] {
      let run = try TapProgram.finish(TapProgram.start(arguments))
      #expect(run.code == 2, "\(run.errors)")
      #expect(run.errors.contains(file) && run.errors.contains(message), "\(run.errors)")
      #expect(!run.errors.contains("4012888888881881"))
      #expect(run.output.isEmpty)
    }
  }

  @Test(arguments: [("", "dump"), (" \n\n", "dump"), ("9000\n", "log")])
  func `a file without a recording ends with 2`(_ text: String, _ syntax: String) throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("convert", scratch.write("bad", text), "--to", "json", "--from", syntax)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(run.errors.contains("nothing of a recording is in it"), "\(run.errors)")
  }

  @Test func `a missing file or a directory ends with 2`() throws {
    let scratch = try Scratch()
    for path in [scratch.path("nothing"), scratch.directory.path] {
      let run = try TapProgram.run("redact", path)
      #expect(run.code == 1)
      #expect(run.errors.contains("cannot be read"))
    }
  }

  @Test(arguments: ["convert", "redact"])
  func `help has the formats and the exit codes`(_ command: String) throws {
    let run = try TapProgram.run(command, "--help")
    #expect(run.code == 0)
    #expect(run.output.contains("EXIT STATUS:\n  0   "))
    #expect(run.output.contains("--from"))
  }
}

extension TapProgram {
  static func run(arguments: [String]) throws -> Run { try finish(start(arguments)) }
}

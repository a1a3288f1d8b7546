import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap decode` reads the recordings that `tap convert` reads.
@Suite("tap decode", .blocks, .timeLimit(.minutes(20)))
struct DecodeTests {
  @Test(arguments: [
    "Vectors/proxmark3/hf_visa_apple_normal.trace", "Transcripts/Tools/pyscard.txt",
    "Transcripts/Tools/libnfc-initiator.log",
  ])
  func `a trace or a log is decoded as a transcript`(file: String) throws {
    let run = try TapProgram.run("decode", Fixtures.url(file).path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("taken for transcript\n"))
    #expect(run.output.contains("SELECT: 00A40400"), "\(run.output)")
  }

  @Test(arguments: [
    ("", 2, "there is nothing to decode"), ("missing.txt", 1, "missing.txt: there is no such file"),
    ("/nowhere/tap", 1, "/nowhere/tap: there is no such file"), ("0", 2, "an even number is needed"),
    ("zz", 2, "not a hexadecimal digit"),
  ])
  func `invalid input is an error with its reason`(_ input: String, _ code: Int32, _ reason: String) throws {
    let run = try TapProgram.run("decode", input)
    #expect(run.code == code && run.output.isEmpty)
    #expect(run.errors.contains(reason), "\(run.errors)")
  }

  @Test(arguments: [
    (["3b:80:80:01:01"], "taken for ATR"), (["0x9000"], "SW: 9000"), (["0x9F, 0x36, 0x02, 0x00, 0x01"], "9F36"),
    (["--tag", "95", "8000008001"], "byte 1 bit 8: offline data authentication was not performed"),
    (["--tag", "TVR", "80 00 00 80 01"], "95 Terminal Verification Results"),
    (["--tag", "9F6E", "--application", "A0000000041010", "0826000030370102"], "9F6E Third Party Data"),
    (["--tag", "9F10", "0110A50000000000000000000000000000FF"], "Mastercard layout"),
    (["--status", "6985"], "SW: 6985 conditions of use not satisfied"), (["--status", "0x9000"], "SW: 9000"),
    (["--mcc", "5812"], "MCC: 5812 Eating places and restaurants"),
    (["--mcc", "0100"], "MCC: 0100 Reserved"), (["9F2A012A"], "taken for TLV (or C-APDU; --as sets one)"),
    (["9F2A012A", "--as", "c-apdu"], "read as C-APDU"), (["--as", "DOL", "9F3704"], "read as DOL"),
    ([Fixtures.url("Transcripts/Public/37-pcscd-markdown-fence.txt").path, "--from", "log"], "read as transcript"),
  ])
  func `one field is decoded as what it is said to be`(_ arguments: [String], _ expected: String) throws {
    let run = try TapProgram.finish(TapProgram.start(["decode"] + arguments))
    #expect(run.code == 0 && run.output.contains(expected), "\(run.output)\(run.errors)")
    try OutputSchema.check("decode", ["decode"] + arguments)
  }

  @Test(arguments: [
    (["--tag", "95", "80"], 2, "1 byte, and the element has 5"), (["--tag", "95", "8"], 2, "an even number is needed"),
    (["--tag", "5A", "0x4761zz"], 2, "not a hexadecimal digit"), (["--tag", "nothing", "00"], 64, "--tag nothing:"),
    (["--status", "698"], 64, "--status 698:"), (["--mcc", "58"], 64, "--mcc 58:"), (["--mcc", "58A2"], 64, "--mcc"),
    (["--mcc", "5812", "00"], 64, "leave 00 out"), (["--mcc", "5812", "--status", "9000"], 64, "Only one of"),
    (["--application", "A0000000041010", "--status", "9000"], 64, "--status and --mcc take no other option"),
    (["--tag", "95", "--pdol", "9F6604", "8000008001"], 64, "--pdol and --cdol are for a command"),
    (["80A80000028300", "--pdol", "9F"], 64, "--pdol 9F: tags and lengths in hexadecimal are needed"),
    (["--tag", "95", "--application", "A0", "8000008001"], 64, "5 to 16 bytes"),
    (["9F2A012A", "--as", "atr"], 2, "the ATR begins with 9F: 3B or 3F is needed"),
    (["9F2A", "--as", "tlv"], 2, "malformed"), (["9F2Azz", "--as", "tlv"], 2, "read as TLV, which takes"),
    (["9F2A012A", "--as", "letter"], 64, "letter"), (["9000", "--from", "novel"], 64, "novel"),
    (["9F2A012A", "--as", "tlv", "--from", "log"], 64, "leave one of them out"),
    (["9F2A012A", "--as", "tlv", "--tag", "95"], 64, "leave --as and --from out"),
    (["--as", "tlv", "--status", "9000"], 64, "--status and --mcc take no other option"),
    (["9000", "--from", "log"], 2, "read as log: no exchange of a recording is in it"),
    (["zz"], 2, "(the bytes of one C-APDU, R-APDU, TLV, ATR, ATS, DOL, and the recordings dump,"),
    (["FF11"], 0, "--as and --from set one"),
  ])
  func `a field of the wrong form is an error with its reason`(
    _ arguments: [String], _ code: Int32, _ reason: String
  ) throws {
    let run = try TapProgram.finish(TapProgram.start(["decode"] + arguments))
    #expect(run.code == code && (run.output + run.errors).contains(reason), "\(run.output)\(run.errors)")
  }

  @Test func `an account number in one field is masked unless it is asked for`() throws {
    let field = ["decode", "--tag", "5A", "4761739001010010"]
    #expect(try !TapProgram.finish(TapProgram.start(field)).output.contains("01010"))
    #expect(try TapProgram.finish(TapProgram.start(field + ["--unmasked"])).output.contains("4761739001010010"))
  }

  @Test(arguments: ["", " -"])
  func `standard input is decoded`(_ argument: String) throws {
    let run = try TapProgram.finish(
      ProgramRun("sh", ["-c", "printf '9F36 02 0001\\n' | \(TapProgram.path) decode\(argument)"]))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("9F36 Application Transaction Counter"), "\(run.output)")
    let empty = try TapProgram.finish(ProgramRun("sh", ["-c", "\(TapProgram.path) decode\(argument) < /dev/null"]))
    #expect(empty.code == 2 && empty.errors.contains("there is nothing to decode"), "\(empty.errors)")
  }

  @Test func `a trace that is cut off is an error`() throws {
    let scratch = try Scratch()
    let trace = try Fixtures.data("Vectors/proxmark3/hf_visa_apple_normal.trace")
    let file = scratch.path("cut.trace")
    try trace.prefix(trace.count - 3).write(to: .init(filePath: file))
    #expect(try TapProgram.run("decode", file).code == 2)
  }

  @Test func `on a terminal a pipe is named while its writer is missing`() throws {
    let scratch = try Scratch()
    let pipe = scratch.path("pipe")
    let line = "mkfifo \(pipe); (echo 9F36020001 > \(pipe)) & \(TapProgram.path) decode \(pipe)"
    let run = try TapProgram.finish(ProgramRun("script", ["--quiet", "--return", "--command", line, "/dev/null"]))
    #expect(run.output.contains("Waiting for a program that writes to the pipe \(pipe)"), "\(run.output)")
    #expect(run.output.contains("9F36 Application Transaction Counter"), "\(run.output)")
  }
}

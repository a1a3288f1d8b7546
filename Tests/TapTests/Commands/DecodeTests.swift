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
    ("", "there is nothing to decode"), ("missing.txt", "missing.txt: there is no such file"),
    ("/nowhere/tap", "/nowhere/tap: there is no such file"), ("0", "an even number is needed"),
    ("zz", "not a hexadecimal digit"),
  ])
  func `invalid input is an error with its reason`(_ input: String, _ reason: String) throws {
    let run = try TapProgram.run("decode", input)
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(run.errors.contains(reason), "\(run.errors)")
  }

  @Test(arguments: ["", " -"])
  func `standard input is decoded`(_ argument: String) throws {
    let run = try TapProgram.finish(
      ProgramRun("sh", ["-c", "printf '9F36 02 0001\\n' | \(TapProgram.path) decode\(argument)"]))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("9F36 Application Transaction Counter"), "\(run.output)")
    let empty = try TapProgram.finish(ProgramRun("sh", ["-c", "\(TapProgram.path) decode\(argument) < /dev/null"]))
    #expect(empty.code == 1 && empty.errors.contains("there is nothing to decode"), "\(empty.errors)")
  }

  @Test func `a trace that is cut off is an error`() throws {
    let scratch = try Scratch()
    let trace = try Fixtures.data("Vectors/proxmark3/hf_visa_apple_normal.trace")
    let file = scratch.path("cut.trace")
    try trace.prefix(trace.count - 3).write(to: .init(filePath: file))
    #expect(try TapProgram.run("decode", file).code == 1)
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

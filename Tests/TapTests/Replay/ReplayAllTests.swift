import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap replay` of several recordings.
@Suite("tap replay of several files", .blocks, .timeLimit(.minutes(20)))
struct ReplayAllTests {
  let scratch: Scratch

  /// A directory with a recording that reproduces, one that differs, an unreadable one, and a file with another extension.
  init() throws {
    scratch = try Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("all/deep"), withIntermediateDirectories: true)
    let good = try String(contentsOf: Fixtures.url("Transcripts/visa-cvn10-terminal.txt"), encoding: .utf8)
    _ = try scratch.write("all/1-good.txt", good)
    _ = try scratch.write(
      "all/2-changed.txt", good.replacingOccurrences(of: "#@ outcome: approved", with: "#@ outcome: declined"))
    _ = try scratch.write("all/3-none.txt", "nothing\n")
    _ = try scratch.write("all/deep/4-good.txt", good)
    _ = try scratch.write("all/README.md", "no recording")
  }

  @Test func `all files of a directory are replayed, and a summary counts them`() throws {
    let run = try TapProgram.run("replay", scratch.path("all"))
    #expect(run.code == 2)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 4, "\(run.output)")
    #expect(lines[0].contains("1-good.txt: reproduced"))
    #expect(lines[1].contains("2-changed.txt: different"))
    #expect(lines[2].contains("3-none.txt: unusable"))
    #expect(lines[3].contains("deep/4-good.txt: reproduced"))
    #expect(run.errors.contains("4 recordings: 2 reproduced, 1 different, 1 unusable"))
  }

  @Test func `--fail-fast ends at the first that does not reproduce`() throws {
    let run = try TapProgram.run("replay", "--fail-fast", scratch.path("all"), "--format", "json")
    #expect(run.code == 2)
    #expect(run.output.split(separator: "\n").count == 2)
    #expect(try run.json()["result"] as? String == "reproduced")
  }

  @Test func `junit has a case for each file with its message`() throws {
    let run = try TapProgram.run("replay", scratch.path("all"), "--format", "junit")
    #expect(run.code == 2)
    let document = run.output
    #expect(document.hasPrefix("<?xml"))
    #expect(document.contains("<testsuite name=\"tap replay\" tests=\"4\" failures=\"1\" errors=\"1\""), "\(document)")
    #expect(document.contains("not &quot;declined&quot;"), "\(document)")
    let file = try scratch.write("results.xml", document)
    let check = try ProgramRun(
      "/usr/bin/python3", ["-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", file])
    #expect(try check.finish() == .exited(0), "\(check.errors)")
  }

  @Test func `an unusable file alone is exit code 2, and so is a directory without transcripts`() throws {
    #expect(try TapProgram.run("replay", scratch.path("all/3-none.txt")).code == 2)
    try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: true)
    let run = try TapProgram.run("replay", scratch.path("empty"))
    #expect(run.code == 1)
    #expect(run.errors.contains("empty has no transcript: their names end in .txt"), "\(run.errors)")
  }
}

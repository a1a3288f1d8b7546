import Fixtures
import Foundation
import TestSupport
import Testing

/// The package `tools/pytest`, with the program of this build.
@Suite("pytest-contactless", .blocks, .timeLimit(.minutes(20)))
struct PytestTests {
  static let folder = ExampleTests.root.appending(path: "tools/pytest").path

  @Test func `its own tests pass with this program, at a simulated reader`() throws {
    let run = try ProgramRun(
      OracleTests().python(),
      [
        "-m", "pytest", "-q", "-p", "pytest_contactless.plugin", "-p", "no:cacheprovider", "--tap", TapProgram.path,
        Self.folder + "/tests",
      ], environment: ["PYTHONPATH": Self.folder, "CONTACTLESS_FIXTURES": Fixtures.url("").path])
    #expect(try run.finish(timeout: .seconds(300)) == .exited(0), "\(run.output)\(run.errors)")
    #expect(run.output.contains("6 passed"), "\(run.output)")
  }

  @Test func `a missing program fails the tests and does not skip them`() throws {
    let run = try ProgramRun(
      OracleTests().python(),
      [
        "-m", "pytest", "-q", "-p", "pytest_contactless.plugin", "-p", "no:cacheprovider", "--tap", "/nowhere/tap",
        Self.folder + "/tests",
      ], environment: ["PYTHONPATH": Self.folder])
    #expect(try run.finish(timeout: .seconds(300)) == .exited(1), "\(run.output)")
    #expect(run.output.contains("the program tap is needed"), "\(run.output)")
  }

  @Test func `the commands of the workflow file are commands of the program`() throws {
    let text = try String(contentsOfFile: Self.folder + "/workflow.yml", encoding: .utf8)
    let start = try #require(text.range(of: ".build/release/tap test "))
    let end = try #require(text[start.upperBound...].range(of: "- name:"))
    let command = text[start.upperBound..<end.lowerBound].split(whereSeparator: \.isWhitespace).map(String.init)
    let scratch = try Scratch()
    let arguments = command.map { word in
      word.hasPrefix("Fixtures/")
        ? Fixtures.url(String(word.dropFirst(9))).path
        : ["results.xml", "results.html", "recordings"].contains(word) ? scratch.path(word) : word
    }
    let run = try TapProgram.finish(TapProgram.start(["test"] + arguments))
    #expect(run.code == 0, "\(arguments): \(run.errors)")
    #expect(FileManager.default.fileExists(atPath: scratch.path("results.html")))
  }
}

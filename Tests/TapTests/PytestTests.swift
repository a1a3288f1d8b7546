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
    #expect(run.output.contains("15 passed"), "\(run.output)")
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

  /// The commands of the workflow file: which one, and the report that it writes.
  @Test(arguments: [(1, "results.html"), (2, "terminal.html"), (3, "card.html")])
  func `the commands of the workflow file are commands of the program`(_ number: Int, _ report: String) throws {
    let text = try String(contentsOfFile: Self.folder + "/workflow.yml", encoding: .utf8)
    let parts = text.components(separatedBy: ".build/release/tap test ")
    let command = try #require(parts[number].components(separatedBy: "- name:").first)
      .components(separatedBy: "if: always()")[0].split(whereSeparator: \.isWhitespace).map(String.init)
    let scratch = try Scratch()
    let written = ["results", "terminal", "card"].flatMap { [$0, $0 + ".xml", $0 + ".html"] } + ["recordings"]
    let arguments = command.map { word in
      word.hasPrefix("Fixtures/")
        ? Fixtures.url(String(word.dropFirst(9))).path : written.contains(word) ? scratch.path(word) : word
    }
    let run = try TapProgram.finish(TapProgram.start(["test"] + arguments))
    #expect(run.code == 0, "\(arguments): \(run.errors)")
    #expect(FileManager.default.fileExists(atPath: scratch.path(report)))
  }
}

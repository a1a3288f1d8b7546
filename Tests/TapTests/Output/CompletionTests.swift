import Fixtures
import Foundation
import TestSupport
import Testing

/// The completions of bash, by bash itself.
@Suite("Completions in bash", .blocks, .timeLimit(.minutes(20)))
struct CompletionTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let script = try TapProgram.run("--generate-completion-script", "bash")
    #expect(script.code == 0)
    _ = try scratch.write("tap.bash", script.output)
    for name in ["card.json", "recorded.txt", "picture.png", "scenario.yaml"] { _ = try scratch.write(name, "") }
  }

  /// What bash offers for the last word of a command line.
  private func offered(_ words: String..., environment: [String: String] = [:]) throws -> [String] {
    let script = #"""
      cd "$0" && source ./tap.bash && PATH="$1:$PATH" && shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
      _tap tap "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\n' "${COMPREPLY[@]}"
      """#
    let programs = URL(filePath: TapProgram.path).deletingLastPathComponent().path
    let run = try ProgramRun(
      "/bin/bash", ["-c", script, scratch.path(""), programs, "tap"] + words, environment: environment)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `a reader is one that is connected, or a file of the folder`() throws {
    let lab = try LabTests.Reader(LabTests.visa)
    let readers = try offered("accept", "--reader", "", environment: lab.environment)
    #expect(readers.contains("pcsc:\(lab.name)"), "\(readers)")
    #expect(readers.contains("loopback:card.json") && readers.contains("replay:recorded.txt"), "\(readers)")
    #expect(!readers.contains { $0.contains("picture") || $0.contains("NAME") }, "\(readers)")
    let begun = try offered("send", "--reader", "pc", environment: lab.environment)
    #expect(!begun.isEmpty && begun.allSatisfy { $0.hasPrefix("pcsc:") }, "\(begun)")
    #expect(try offered("test", "--reader", "loop", environment: lab.environment) == ["loopback"])
    lab.program.signal(SIGINT)
    #expect(try lab.program.finish() == .exited(0), "\(lab.program.errors)")
  }

  @Test func `a card is a card profile or personalisation file`() throws {
    for command in ["present", "demo", "bench"] {
      #expect(try Set(offered(command, "--card", "")) == ["card.json", "recorded.txt"], "\(command)")
    }
    #expect(try offered("card", "show", "c") == ["card.json"])
  }

  @Test func `a scenario, a command and an option are offered`() throws {
    #expect(try offered("test", "s").contains("scenario.yaml"))
    #expect(try offered("wall") == ["wallet"])
    #expect(try offered("accept", "--rea") == ["--reader"])
    #expect(try offered("present", "--link", "").contains("loopback"))
  }

  @Test(arguments: ["zsh", "fish"])
  func `the completions of other shells ask for readers too`(_ shell: String) throws {
    let script = try TapProgram.run("--generate-completion-script", shell)
    #expect(script.code == 0 && script.output.contains("---completion accept"), "\(script.errors)")
  }
}

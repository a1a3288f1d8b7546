import TestSupport
import Testing

/// The values that the completion scripts of the programs offer. `CompletionTests` tries those of `tap` in the shells.
@Suite("Completed values", .blocks, .timeLimit(.minutes(5))) struct CompletedValueTests {
  /// A program, how a call of its script offers words, and the option before them.
  @Test(
    arguments: [
      ("tap-wallet", "--link", ["loopback", "nfc:", "vpcd:"]),
      ("tap-server", "--database", ["memory", "sqlite:", "postgresql://"]),
    ])
  func `a script offers the values of an option`(program: String, option: String, values: [String]) throws {
    let script = try ProgramRun(AccessPrograms.path(program), ["--generate-completion-script", "fish"])
    #expect(try script.finish(timeout: .seconds(60)) == .exited(0))
    let name = option.dropFirst(2)
    let lines = script.output.split(separator: "\n").filter { $0.contains("-l '\(name)'") }
    #expect(lines.contains { line in values.allSatisfy { line.contains($0) } }, "\(lines)")
  }

  @Test func `a wallet pays in the currencies of its terminal`() throws {
    let run = try ProgramRun(
      AccessPrograms.path("tap-wallet"), ["---completion", "pay", "--", "--currency", "0", "0", "tap-wallet pay"])
    #expect(try run.finish(timeout: .seconds(60)) == .exited(0), "\(run.errors)")
    #expect(run.output.split(separator: "\n").prefix(2) == ["EUR", "USD"], "\(run.output)")
  }
}

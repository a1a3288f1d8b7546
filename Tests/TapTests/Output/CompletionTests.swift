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
    // A terminal profile is no card.
    try FileManager.default.copyItem(
      atPath: TapProgram.terminal("attended-eur"), toPath: scratch.path("terminal.json"))
    for folder in ["folder", "folder/deeper"] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: false)
    }
    for name in ["folder/inner card.json", "folder/inner.txt", "folder/deeper/last.json"] {
      _ = try scratch.write(name, "")
    }
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
      #expect(try Set(offered(command, "--card", "")) == ["card.json", "folder/", "recorded.txt"], "\(command)")
    }
    #expect(try offered("card", "show", "c") == ["card.json"])
  }

  @Test func `a card in this process is looked for in folders, and is no terminal profile`() throws {
    let all = try offered("accept", "--reader", "loopback:")
    #expect(all == ["loopback:card.json", "loopback:folder/"], "\(all)")
    let inner = try offered("accept", "--reader", "loopback:folder/")
    #expect(inner == ["loopback:folder/deeper/", "loopback:folder/inner card.json"], "\(inner)")
    #expect(try offered("send", "--reader", "replay:folder/i") == ["replay:folder/inner.txt"])
    #expect(try offered("present", "--card", "folder/deeper/") == ["folder/deeper/last.json"])
  }

  @Test func `a format and a currency of the terminal are offered`() throws {
    #expect(try offered("convert", "x", "--to", "pc") == ["pcapng"])
    #expect(try offered("convert", "x", "--from", "proxmark").count > 0)
    #expect(try offered("accept", "--currency", "").starts(with: ["EUR", "USD", "GBP", "CHF"]))
    let dollars = try offered("accept", "--terminal", TapProgram.terminal("signature-usd"), "--currency", "")
    #expect(dollars == ["USD", "GBP"])
  }

  @Test func `a scheme, a currency, a tag and a reaction are offered`() throws {
    #expect(try offered("card", "new", "--scheme", "m") == ["mastercard"])
    #expect(try offered("terminal", "new", "--currency", "E") == ["EUR"])
    #expect(try offered("decode", "--tag", "9F2").contains("9F26"))
    #expect(try offered("present", "--on-tampering", "") == ["error", "silence", "crash"])
  }

  @Test func `the names of the scenarios in a folder are offered`() throws {
    let scenarios = try offered("test", Fixtures.url("Scenarios").path, "-k", "visa-l")
    #expect(scenarios == ["visa-low-value"])
  }

  @Test func `a scenario, a command and an option are offered`() throws {
    #expect(try offered("test", "s").contains("scenario.yaml"))
    #expect(try offered("wall") == ["wallet"])
    #expect(try offered("accept", "--rea") == ["--reader"])
    #expect(try offered("present", "--link", "").contains("loopback"))
  }

  /// The shells, and how one of them is started at a terminal with the completions of the program.
  static let shells = [
    (
      "bash",
      #"""
      cd "$0" && export PATH="$1:$PATH" HOME="$0"
      tap --generate-completion-script bash > tap.bash
      echo "PS1='ready '; source tap.bash" > bashrc
      exec bash --noprofile --rcfile bashrc -i
      """#
    ),
    (
      "zsh",
      #"""
      cd "$0" && export PATH="$1:$PATH" HOME="$0" ZDOTDIR="$0"
      mkdir functions && tap --generate-completion-script zsh > functions/_tap
      echo "fpath=($0/functions \$fpath); autoload -Uz compinit; compinit -u -D; PS1='ready '" > .zshrc
      exec zsh -i
      """#
    ),
    (
      "fish",
      #"""
      cd "$0" && export PATH="$1:$PATH" HOME="$0" XDG_CONFIG_HOME="$0/config"
      tap --generate-completion-script fish > tap.fish
      exec fish --no-config --private -C 'function fish_prompt; echo -n "ready "; end; source tap.fish'
      """#
    ),
  ]

  /// A command line that is typed, and what the tab key makes of it.
  static let completed = [
    ("acc", "accept"), ("accept --rea", "--reader"), ("accept --reader loop", "loopback:"),
    ("demo --card ca", "card.json"), ("accept --reader replay:r", "replay:recorded.txt"),
    ("accept --reader loopback:card", "loopback:card.json"),
    ("send --reader loopback:folder/dee", "loopback:folder/deeper/"),
    ("send --reader replay:folder/inner.", "replay:folder/inner.txt"), ("convert x --to pcap", "pcapng"),
  ]

  @Test(arguments: shells, completed)
  func `bash, zsh and fish complete commands, options, readers and files`(
    _ shell: (name: String, start: String), _ row: (typed: String, whole: String)
  ) throws {
    // The completed line is printed by echo, so that the text does not depend on how the shell draws it.
    let steps = try JSONSerialization.data(withJSONObject: [
      ["ready ", "tap \(row.typed)\t\u{1}echo = \n"], ["= tap ", ""], ["ready ", "exit\n"],
    ])
    let programs = URL(filePath: TapProgram.path).deletingLastPathComponent().path
    let run = try ProgramRun(
      "/usr/bin/python3",
      [
        OracleTests.script("type_lines.py"), String(decoding: steps, as: UTF8.self), "bash", "-c", shell.start,
        scratch.path(""), programs,
      ])
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.output)\(run.errors)")
    #expect(run.output.contains("= tap "), "\(run.output)")
    let line = run.output.split(whereSeparator: \.isNewline).last { $0.hasPrefix("= tap ") }
    #expect(line?.contains(row.whole) == true, "\(run.output)")
  }
}

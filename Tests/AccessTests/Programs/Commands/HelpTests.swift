import Fixtures
import Foundation
import TestSupport
import Testing

/// The help of every command of every program.
@Suite("Help", .blocks, .timeLimit(.minutes(20))) struct HelpTests {
  @Test(arguments: DescribedCommand.programs)
  func `every command has examples with a meaning and its exit codes`(_ program: String) throws {
    let commands = try DescribedCommand.all(of: program)
    #expect(!commands.isEmpty)
    for command in commands {
      #expect((1...3).contains(command.examples.count), "\(command)")
      #expect(command.examples.allSatisfy { !$0.meaning.isEmpty }, "\(command)")
      #expect(command.exits.starts(with: ["0"]) && command.exits.contains("64"), "\(command): \(command.exits)")
      #expect(command.exits == command.exits.sorted { Int($0) ?? 0 < Int($1) ?? 0 }, "\(command)")
    }
  }

  @Test(arguments: DescribedCommand.programs)
  func `every example is a command line of its command, with options that exist and all that are needed`(
    _ program: String
  ) throws {
    for command in try DescribedCommand.all(of: program) {
      for example in command.examples {
        let words = example.line.components(separatedBy: " < ")[0].components(separatedBy: " > ")[0]
          .split(separator: " ").map(String.init)
        let named = try DescribedCommand.named(by: words)
        #expect(command.words.starts(with: named.words), "\(command): \(example.line)")
        #expect(named.mistakes(in: words) == [], "\(command): \(example.line)")
      }
    }
  }

  @Test func `an example with an option that does not exist or is missing is found`() throws {
    let command = try DescribedCommand.named(by: ["tap", "accept"])
    #expect(
      command.mistakes(in: ["tap", "accept", "--amount", "1", "--bogus"]) == [
        "unknown --bogus", #"missing ["--currency"]"#,
      ])
  }

  /// Parts of command lines that need a reader, another program, a server, the device of a machine, or an installed program.
  private static let needs = [
    "pcsc:", "vpcd:", "--device linux", "https://", "--state ", "--listen ", "tap readers", "tap lab ",
    "tap device check", "tap device keys", "tap-device ", "tap examples",
  ]

  @Test(arguments: DescribedCommand.programs)
  func `every example that needs nothing else ends with its exit code when it is typed`(_ program: String) throws {
    let folder = try ExampleFolder()
    for example in try DescribedCommand.all(of: program).flatMap(\.examples) {
      if Self.needs.contains(where: example.line.contains) { continue }
      let (ending, text) = try folder.copy().type(example.line)
      #expect(ending == .exited(example.exit), "\(example.line): \(text)")
    }
  }
}

/// A folder with the files that the examples name.
private struct ExampleFolder {
  private static let programs = URL(filePath: AccessPrograms.path("tap")).deletingLastPathComponent().path
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    for (name, fixture) in [
      ("Cards", "Cards"), ("Terminals", "Terminals"), ("card.json", "Cards/visa-cvn18.json"),
      ("terminal.json", "Terminals/attended-eur.json"), ("tap.txt", "Transcripts/visa-cvn18-terminal.txt"),
      ("pcscd.log", "Transcripts/Tools/pcscd.log"), ("card.nfc", "Transcripts/Saved/flipper-emv.nfc"),
      ("server.sqlite", "States/server/server.sqlite"),
    ] {
      try FileManager.default.copyItem(atPath: Fixtures.url(fixture).path, toPath: scratch.path(name))
    }
    for (folder, fixture) in [
      ("scenarios", "Scenarios/visa-low-value.yaml"), ("recordings", "Transcripts/visa-cvn18-terminal.txt"),
    ] {
      try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: false)
      let file = Fixtures.url(fixture)
      try FileManager.default.copyItem(atPath: file.path, toPath: scratch.path("\(folder)/\(file.lastPathComponent)"))
    }
    for (name, text) in [
      ("commands.txt", "00A404000E325041592E5359532E444446303100\n"),
      ("lines.txt", "00A404000E325041592E5359532E444446303100\n"), ("number.txt", "4761739001010119\n"),
      ("journal.jsonl", #"{"from": "wallet", "to": "server", "text": "GET /"}"# + "\n"), ("server.json", "{}"),
    ] {
      _ = try scratch.write(name, text)
    }
    for line in [
      "tap wallet add --wallet purse --card card.json --id card",
      "tap wallet add --wallet purse --card card.json --id spare && tap wallet suspend --wallet purse spare",
      "chmod 600 server.sqlite && tap-server restored --database sqlite:server.sqlite",
      "tap bench --link loopback --taps 100 --save before.json",
    ] {
      let (ending, text) = try type(line)
      try #require(ending == .exited(0), "\(line): \(text)")
    }
  }

  private init(copyOf folder: ExampleFolder) throws {
    scratch = try Scratch()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.scratch.path("")) {
      try FileManager.default.copyItem(atPath: folder.scratch.path(name), toPath: scratch.path(name))
    }
  }

  /// Another folder with the same files, which no line has changed.
  func copy() throws -> ExampleFolder { try ExampleFolder(copyOf: self) }

  /// Types a line at a shell in the folder, and waits for its end.
  func type(_ line: String) throws -> (ProgramRun.Ending, String) {
    let run = try ProgramRun(
      "/bin/bash", ["-c", "cd \"$0\" && PATH=\"$1:$PATH\" && \(line)", scratch.path(""), Self.programs])
    return (try run.finish(timeout: .seconds(120)), run.output + run.errors)
  }
}

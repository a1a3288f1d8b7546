import Fixtures
import Foundation
import Glibc
import POSIX
import TestSupport
import Testing

@testable import tap

/// The examples of an installation: their names in arguments, their list and their copy.
@Suite("Installed examples", .blocks, .timeLimit(.minutes(10)))
struct InstalledExamplesTests {
  private static let fixtures = Fixtures.url("").path
  private static let examples = InstalledExamples(folder: fixtures)
  private static let order = ["--amount", "12.34", "--currency", "EUR"]

  @Test(arguments: [
    ("Cards/visa-cvn18.json", "Cards/visa-cvn18.json"), ("Fixtures/Cards/visa-cvn18.json", "Cards/visa-cvn18.json"),
    ("./Scenarios/EntryPoint/", "Scenarios/EntryPoint"), ("Fixtures/TerminalTests", "TerminalTests"),
    ("visa-cvn18.json", nil), ("Cards/none.json", nil), ("/Cards/visa-cvn18.json", nil), ("Fixtures", nil), ("", nil),
    ("Cards/../Cards/visa-cvn18.json", nil), (".", nil),
  ])
  func `the name of an example is its path below the folder of the examples`(_ name: String, _ path: String?) {
    #expect(
      Self.examples.path(of: name).map { URL(filePath: $0).standardized.path }
        == path.map { Fixtures.url($0).standardized.path })
  }

  @Test(arguments: [
    ("visa-cvn18.json", ["Cards/visa-cvn18.json"]), ("visa-cvn18", ["Cards/visa-cvn18.json"]),
    ("Cards/visa-cvn81.json", ["Cards/visa-cvn18.json"]), ("EntryPoint", ["Scenarios/EntryPoint"]),
    ("scenarios/entrypont", ["Scenarios/EntryPoint"]), ("nothing-of-this-kind-is-there", []),
  ])
  func `a mistyped name has near names`(_ name: String, _ near: [String]) {
    #expect(Self.examples.names(near: name) == near)
  }

  @Test func `a missing file and example is an error with both places and the nearest name`() throws {
    let error = #expect(throws: FileError.self) {
      try NamedFile.existing("Cards/visa-cvn81.json", among: Self.examples)
    }
    for words in ["there is no such file", "no such example in \(Self.fixtures)", "Cards/visa-cvn18.json?"] {
      #expect(error?.description.contains(words) == true, "\(words): \(String(describing: error))")
    }
    #expect(error?.code == .notFound)
    #expect(try NamedFile.existing("/nowhere", among: Self.examples) == "/nowhere")
    #expect(try NamedFile.existing("Cards/visa-cvn18.json", among: nil) == "Cards/visa-cvn18.json")
  }

  @Test func `the list has each file of the folders, and each folder of scenarios, with a line`() throws {
    let list = try Self.examples.list()
    let names = Set(list.map(\.name))
    #expect(names.count == list.count)
    #expect(list.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("`") })
    for folder in ["Cards", "Terminals", "Capabilities", "Scenarios", "Transcripts", "Transcripts/Tools", "Schemas"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: Fixtures.url(folder).path)
      where name.contains(".") && name != "README.md" {
        #expect(names.contains("\(folder)/\(name)"))
      }
    }
    for folder in ["Scenarios", "Scenarios/Issuer", "CardTests", "CardTests/Relay", "TerminalTests/Torn"] {
      #expect(list.first { $0.name == folder }?.kind == .pack, "\(folder)")
    }
    #expect(Set(list.map(\.kind)) == Set(ListedExample.Kind.allCases))
  }

  @Test(arguments: [
    "accept --reader loopback:Cards/visa-cvn18.json --amount 12.34 --currency EUR",
    "accept --reader loopback:Fixtures/Cards/visa-fdda.json --terminal Fixtures/Terminals/offline.json --amount 1 --currency EUR",
    "accept --reader replay:Transcripts/visa-cvn18-terminal.txt --amount 12.34 --currency EUR",
    "test Fixtures/Scenarios/EntryPoint --reader loopback", "test TerminalTests/Directory --link loopback",
    "test CardTests/Directory --list", "test TerminalTests --setup --capabilities Capabilities/visa-only.yaml",
    "present --link loopback --recording Transcripts/visa-cvn18-terminal.txt", "demo --card Cards/visa-cvn10.json",
    "replay Transcripts/visa-cvn18-terminal.txt", "decode Transcripts/Tools/pcscd.log",
    "convert Transcripts/Tools/pcscd.log --to dump", "card check Cards/cps-visa.txt", "card show Cards/discover.json",
    "terminal check Terminals/offline.json", "terminal show Terminals/offline.json",
  ])
  func `an installed program takes an example by its name`(_ line: String) throws {
    let run = try Installation.kept.get().run(line.split(separator: " ").map(String.init))
    #expect(run.code == 0, "\(line): \(run.output)\(run.errors)")
  }

  @Test func `a file of the current folder is used before an example with its name`() throws {
    let installation = try Installation()
    try installation.write("Cards/visa-cvn18.json", "{")
    let payment = ["accept", "--reader", "loopback:Cards/visa-cvn18.json"] + Self.order
    let own = try installation.run(payment)
    #expect(own.code == 2 && own.errors.contains("Cards/visa-cvn18.json: "), "\(own.errors)")
    try FileManager.default.removeItem(atPath: installation.path("Cards/visa-cvn18.json"))
    #expect(try installation.run(payment).code == 0)
  }

  @Test(arguments: [
    ["accept", "--reader", "loopback:visa-cvn18.json"] + order,
    ["test", "Cards/visa-cvn18.jso", "--reader", "loopback"],
    ["replay", "visa-cvn18.json"],
    ["accept", "--reader", "loopback:Cards/visa-cvn18.json", "--terminal", "visa-cvn18.json"] + order,
  ])
  func `an installed program names both places and near names of a missing file`(_ arguments: [String]) throws {
    let run = try Installation.kept.get().run(arguments)
    #expect(run.code == 1)
    for words in ["no such file", "share/contactless", "Cards/visa-cvn18.json?", "tap examples"] {
      #expect((run.errors + run.output).contains(words), "\(words): \(run.errors)")
    }
  }

  @Test func `bash offers examples behind the files of the folder`() throws {
    let installation = try Installation()
    try installation.write("Cards/own.json", "{}")
    let script = """
      PATH="../bin:$PATH"; source <(tap --generate-completion-script bash)
      COMP_WORDS=(tap demo --card Cards/) COMP_CWORD=3 COMP_LINE='tap demo --card Cards/' COMP_POINT=22
      _tap tap Cards/ --card; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let run = try ProgramRun("env", ["-C", installation.path(""), "bash", "-c", script])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.hasPrefix("Cards/own.json\nCards/"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("\nCards/visa-cvn18.json\n") && !run.output.contains("README"), "\(run.output)")
  }

  @Test func `tap examples lists the examples, and its JSON is as its definition says`() throws {
    let text = try Installation.kept.get().run(["examples"])
    #expect(text.code == 0)
    #expect(text.output.contains("Cards/visa-cvn18.json\tcard\ta wallet's Visa card"), "\(text.output)")
    let json = try Installation.kept.get().run(["examples", "--format", "json"])
    #expect(json.output.split(separator: "\n").count == text.output.split(separator: "\n").count)
    #expect(try OutputSchema.refused(json.output, "examples") == "")
  }

  @Test func `tap examples copies to a new folder, where the files can be changed, and to no other one`() throws {
    let installation = try Installation()
    let copied = try installation.runAsOtherUser(["examples", "--copy", "Fixtures", "--format", "json"])
    #expect(copied.code == 0, "\(copied.errors)")
    #expect(try OutputSchema.refused(copied.output, "examples") == "")
    #expect(copied.output.contains(#""folder":"Fixtures""#))
    let card = installation.path("Fixtures/Cards/visa-cvn18.json")
    #expect(FileManager.default.contentsEqual(atPath: card, andPath: TapProgram.card("visa-cvn18")))
    let again = try installation.run(["examples", "--copy", "Fixtures", "--format", "json"])
    #expect(try again.code == 1 && again.errorCode() == "fileExists", "\(again.output)")
    #expect(again.errors.contains("Fixtures exists"))
  }

  @Test func `a program in a build has no examples, and says where they are`() throws {
    let run = try TapProgram.run("examples")
    #expect(run.code == 1)
    #expect(run.errors.contains("share/contactless") && run.errors.contains("Fixtures"), "\(run.errors)")
  }

  /// An installation in a folder of its own, and the folder in which its user is.
  private struct Installation {
    /// One for tests that only read.
    static let kept = Result { try Installation() }

    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      for folder in ["bin", "share", "here"] {
        try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: false)
      }
      let copying = try ProgramRun("cp", [TapProgram.path, scratch.path("bin/tap")])
      #expect(try copying.finish() == .exited(0), "\(copying.errors)")
      try FileManager.default.copyItem(
        atPath: InstalledExamplesTests.fixtures, toPath: scratch.path("share/contactless"))
    }

    func path(_ name: String) -> String { scratch.path("here/\(name)") }

    func write(_ name: String, _ text: String) throws {
      let url = URL(filePath: path(name))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: false, encoding: .utf8)
    }

    /// Runs the program as a user who does not own the examples, where this process may do that.
    func runAsOtherUser(_ arguments: [String]) throws -> TapProgram.Run {
      for (folder, mode) in [("", 0o755), ("here", 0o777)] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path(folder))
      }
      let user = ["setpriv", "--reuid=4242", "--regid=4242", "--clear-groups"]
      return try run(arguments, as: geteuid() == 0 ? user : [])
    }

    func run(_ arguments: [String], as user: [String] = []) throws -> TapProgram.Run {
      try TapProgram.finish(
        ProgramRun(
          "env", ["-C", path("")] + user + [scratch.path("bin/tap")] + arguments,
          environment: ["CONTACTLESS_READER": ""]))
    }
  }
}

import Foundation
import TestSupport
import Testing

/// The man pages that tools/manual makes of the help of the programs, judged by man-db and mandoc.
@Suite("Man pages", .blocks, .timeLimit(.minutes(10)))
struct ManualTests {
  private static let tools = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../tools")
    .standardizedFileURL.path
  private let scratch: Scratch

  /// Makes the pages of all programs in one folder.
  init() throws {
    scratch = try Scratch()
    for program in DescribedCommand.programs {
      let run = try ProgramRun(
        "\(Self.tools)/manual", ["--date", "2026-11-23", AccessPrograms.path(program), scratch.directory.path])
      try #require(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.errors)")
    }
    try FileManager.default.copyItem(atPath: "\(Self.tools)/tap-nfc.1", toPath: scratch.path("tap-nfc.1"))
  }

  private func pages() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).filter { $0.hasSuffix(".1") }.sorted()
  }

  private func source(_ page: String) throws -> String {
    try String(contentsOfFile: scratch.path("\(page).1"), encoding: .utf8)
  }

  /// A page as text, in lines that are not broken.
  private func shown(_ page: String) throws -> String {
    let run = try ProgramRun("mandoc", ["-Tascii", "-Owidth=900", scratch.path("\(page).1")])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return run.output.replacing(#/.\x08/#, with: "")
  }

  @Test func `every command of every program has a page of its own`() throws {
    let pages = try Set(pages())
    for program in DescribedCommand.programs {
      for command in try DescribedCommand.all(of: program) {
        // `tap wallet add` is not the `tap-wallet add` of another program.
        let isAmbiguous =
          command.words.count > 1 && DescribedCommand.programs.contains(command.words.prefix(2).joined(separator: "-"))
        let rest = command.words.dropFirst().map { (isAmbiguous && $0 == command.words[1] ? "_" : "-") + $0 }
        #expect(pages.contains(command.words[0] + rest.joined() + ".1"), "\(command)")
      }
    }
  }

  @Test func `mandoc and man find nothing to warn of`() throws {
    let pages = try pages()
    #expect(pages.count > 120)
    let lint = try ProgramRun("mandoc", ["-Tlint", "-W", "warning"] + pages.map { scratch.path($0) })
    #expect(try lint.finish(timeout: .seconds(120)) == .exited(0), "\(lint.output)")
    for page in ["tap", "tap-accept", "tap_wallet-add", "tap-wallet-open", "tap-server-serve"] {
      let man = try ProgramRun(
        "man", ["--warnings", "-l", scratch.path("\(page).1")], environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
      #expect(try man.finish() == .exited(0), "\(man.errors)")
      #expect(man.errors.isEmpty, "\(page): \(man.errors)")
    }
  }

  @Test func `whatis finds the page of a subcommand by its name`() throws {
    let run = try ProgramRun("lexgrog", [scratch.path("tap-accept.1")])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(
      run.output.contains("\"tap-accept - Be the terminal: take a payment, show the outcome\""), "\(run.output)")
  }

  @Test(arguments: ["tap", "tap accept", "tap shell", "tap-server serve", "tap-wallet login", "tap-device serve"])
  func `a page has every word of --help: options with values and defaults, exit codes, examples and variables`(
    _ command: String
  ) throws {
    let words = command.split(separator: " ").map(String.init)
    let help = try ProgramRun(AccessPrograms.path(words[0]), Array(words.dropFirst()) + ["--help"])
    #expect(try help.finish(timeout: .seconds(60)) == .exited(0))
    func parts(_ text: String) -> Set<String> {
      Set(text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() })
    }
    // What --help alone says of itself, and the headings that have other words on a page.
    let own: Set = ["overview", "usage", "options", "subcommands", "subcommand", "see", "help", "for", "detailed"]
    let missing = parts(help.output).subtracting(own).subtracting(try parts(shown(words.joined(separator: "-"))))
    #expect(missing.isEmpty, "\(command): \(missing.sorted())")
  }

  @Test func `the sections of a page are in the order of mdoc(7)`() throws {
    let headings = try source("tap-accept").split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map {
      $0.dropFirst(4)
    }
    #expect(
      headings == ["NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "SEE ALSO"])
    let page = try shown("tap-accept")
    #expect(page.contains("Take a payment from a card in this process."), "\(page)")
    #expect(page.contains("tap accept --reader loopback:card.json --amount 12.34 --currency EUR\n"), "\(page)")
  }

  @Test func `the page of a program describes its commands in their groups`() throws {
    let page = try shown("tap")
    for line in [
      "   Pay commands\n", "   Files commands\n", "tap-accept(1)\n", "tap_wallet(1)\n",
      "Be the terminal: take a payment, show the outcome.\n",
    ] {
      #expect(page.contains(line), "\(line): \(page)")
    }
  }

  @Test func `every page that another page refers to exists`() throws {
    let pages = try pages()
    for page in pages {
      let references = try source(String(page.dropLast(2))).matches(of: #/\.(?:It )?Xr ([\w\\-]+) 1/#)
      for reference in references {
        let name = reference.1.replacing("\\", with: "")
        #expect(pages.contains("\(name).1"), "\(page): \(name)")
      }
    }
  }
}

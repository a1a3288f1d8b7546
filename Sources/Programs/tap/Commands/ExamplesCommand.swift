import ArgumentParser
import DisplayText
import Foundation
import Octets
import POSIX
import ProgramSupport

/// The examples that were installed with the program: their list, and a copy of them.
struct ExamplesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "examples",
    abstract: "List the installed examples, or copy them: cards, terminals, scenarios, recordings.",
    help: CommandHelp(
      """
      Wherever a command takes a card, a terminal, capabilities, scenarios or a recording, an example is used by its \
      name, such as loopback:Cards/visa-cvn18.json. A file with that path in the current folder is used before it. \
      Fixtures/ before a name is left out, so that the lines of the articles work outside of the clone. A program in \
      the folder of a build has no examples: there they are the files of Fixtures.
      """,
      examples: [
        "tap examples": "List the examples.",
        "tap examples --copy my-examples": "Copy them to a new folder, to change them there.",
      ],
      exits: [
        .done: "listed or copied",
        .error: "the program was installed without examples, or the folder exists or cannot be written",
      ]))

  @Option(
    help: ArgumentHelp(
      "Copy all examples, with the READMEs of their formats, to a new folder, to change them there.", valueName: "dir"),
    completion: .directory)
  var copy: String?
  @Option(help: "How results are printed: text, or json (a line for each example).")
  var format = OutputFormat.text

  func validate() throws {
    try require(copy != "", "--copy needs the name of a folder.")
  }

  func run() throws {
    try Console.reportingErrors(as: format) {
      guard let examples = InstalledExamples.ofThisProgram else {
        throw FileError(
          description: """
            there are no examples in \(InstalledExamples.placeOfThisProgram): this program was not installed by a package \
            or by tools/install. In the clone they are the files of Fixtures
            """, code: .notFound)
      }
      if let copy {
        let count = try examples.copy(to: copy)
        try format.print(
          "Copied \(count.counted("file")) to \(copy).", json: ["copied": count, "folder": copy])
      } else {
        try show(examples.list())
      }
    }
  }

  private func show(_ examples: [ListedExample]) throws {
    let rows = examples.map { [$0.name, $0.kind.rawValue, $0.summary] }
    if format == .text, let width = Console.width {
      return TextTable([["name", "kind", "content"]] + rows).lines(width: width).forEach(Console.print)
    }
    for (example, row) in zip(examples, rows) {
      try format.print(
        row.joined(separator: "\t"),
        json: ["name": example.name, "kind": example.kind.rawValue, "content": example.summary])
    }
  }
}

extension InstalledExamples {
  /// Copies all examples to a folder that does not exist, where their owner may change them.
  ///
  /// - Returns: The number of files.
  /// - Throws: `FileError` for a folder that exists or cannot be written.
  fileprivate func copy(to target: String) throws(FileError) -> Int {
    guard (try? FileStatus(of: target, followsLinks: false)) == nil else {
      throw FileError(description: "\(target) exists: name a folder that does not exist", code: .exists)
    }
    let manager = FileManager.default
    do {
      var count = 0
      // copyItem would keep the owner of the files, which only root may do.
      for name in [""] + (try manager.subpathsOfDirectory(atPath: folder)).sorted() {
        let (source, copy) = ("\(folder)/\(name)", "\(target)/\(name)")
        if InputFile.isDirectory(source) {
          try manager.createDirectory(atPath: copy, withIntermediateDirectories: false)
        } else {
          try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: copy))
          count += 1
        }
      }
      return count
    } catch {
      throw FileError(writing: target, error)
    }
  }
}

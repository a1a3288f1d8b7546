import ArgumentParser
import Documents
import JSON
import Octets
import ProfileAuthoring
import ProgramSupport
import POSIX

/// The files of `tap card check` and `tap terminal check`, and their check.
struct ProfileCheck: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Profiles; standard input when -.", valueName: "file"), completion: FileCompletion.named())
  var files: [String]
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// Prints the problems of every file.
  ///
  /// - Throws: `Exit.error` for a file that cannot be read, else `Exit.notRight` when a profile has problems.
  func run(_ kind: ProfileKind, read: (String) throws -> [UInt8]) throws {
    var exits: [Exit] = []
    for file in files {
      do {
        let finding = kind.check(try read(file))
        try show(finding, of: file, kind)
        if case .problems = finding { exits.append(.notRight) }
      } catch  where error is FileError || error is InputError {
        _ = Console.fail(error, as: format)
        exits.append(Exit(error))
      }
    }
    guard exits.isEmpty else { throw Exit(of: exits).code }
  }

  private func show(_ finding: ProfileKind.Finding, of file: String, _ kind: ProfileKind) throws {
    let (problems, notes): ([ProfileKind.Problem], [ProfileKind.Problem]) =
      switch finding {
      case .problems(let problems): (problems, [])
      case .valid(_, let notes): ([], notes)
      }
    guard format == .text else {
      return try Console.print(json: ["file": file, "problems": problems, "notes": notes] as JSONObject)
    }
    if case .valid(let content, _) = finding { Console.print("\(file): a \(kind.name) without problems: \(content)") }
    for problem in problems { Console.print(problem.text(in: file)) }
    for note in notes { Console.print("note: \(note.text(in: file))") }
    if !problems.isEmpty { Console.print("\(file): \(problems.count.counted("problem"))") }
  }
}

/// How `tap card keys` and `tap terminal keys` print the keys of a profile.
struct ProfileKeys: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case schema
  }

  @Option(help: "How the keys are printed: text, a table in Markdown, or a JSON Schema, which editors use.")
  var format = Format.text

  func run(_ kind: ProfileKind) { run(kind.keys, title: kind.title) }

  func run(_ keys: [ProfileKey], title: String) {
    print(ProfileKeyTable(keys), ProfileKey.schema(of: keys, title: title))
  }

  /// Prints the keys of a document of several forms.
  func run(_ shapes: [ProfileKey.Shape], title: String) {
    print(ProfileKeyTable(shapes), ProfileKey.schema(of: shapes, title: title))
  }

  private func print(_ table: ProfileKeyTable, _ schema: JSONValue) {
    switch format {
    case .markdown: Console.write(table.markdown)
    case .schema: Console.write(schema.pretty)
    case .text: table.lines.forEach(Console.print)
    }
  }
}

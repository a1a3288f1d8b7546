import ArgumentParser
import Documents
import JSON
import Octets
import ProfileAuthoring
import ProgramSupport
import POSIX

/// The files of `tap card check` and `tap terminal check`, and their check.
struct ProfileCheck: ParsableArguments {
  @Argument(help: ArgumentHelp("Profiles; standard input when -.", valueName: "file"), completion: .file())
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
    let problems = if case .problems(let found) = finding { found } else { [] as [ProfileKind.Problem] }
    guard format == .text else { return try Console.print(json: ["file": file, "problems": problems] as JSONObject) }
    if case .valid(let content) = finding { Console.print("\(file): a \(kind.name) without problems: \(content)") }
    for problem in problems { Console.print(problem.text(in: file)) }
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
    let table = ProfileKeyTable(keys)
    switch format {
    case .markdown: Console.write(table.markdown)
    case .schema: Console.write(ProfileKey.schema(of: keys, title: title).pretty)
    case .text: table.lines.forEach(Console.print)
    }
  }
}

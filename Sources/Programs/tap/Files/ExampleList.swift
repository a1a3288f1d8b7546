import POSIX

/// An installed example, as `tap examples` lists it.
struct ListedExample: Equatable {
  /// What it can be used for.
  enum Kind: String, CaseIterable {
    case card
    case terminal
    case capabilities
    case scenario
    /// A folder of scenarios.
    case pack
    case recording
    case schema
  }

  /// The name for arguments, such as `Cards/visa-cvn18.json`.
  let name: String
  let kind: Kind
  /// One line from the README of its folder.
  let summary: String
}

extension InstalledExamples {
  /// The folders, in the order of the list, with the kind of their files.
  private static let folders: [(name: String, kind: ListedExample.Kind)] = [
    ("Cards", .card), ("Terminals", .terminal), ("Capabilities", .capabilities), ("Scenarios", .scenario),
    ("CardTests", .scenario), ("TerminalTests", .scenario), ("Transcripts", .recording), ("Schemas", .schema),
  ]

  /// The examples that the READMEs of the folders describe in the rows of their tables, and the folders with scenarios.
  ///
  /// - Throws: `FileError` for a README that cannot be read.
  func list() throws(FileError) -> [ListedExample] {
    var examples: [ListedExample] = []
    var names: Set<String> = []
    for (folder, kind) in Self.folders {
      let readme = String(decoding: try InputFile.text("\(self.folder)/\(folder)/README.md"), as: UTF8.self)
      let lines = readme.split(separator: "\n")
      if kind == .scenario, let title = lines.first {
        examples.append(ListedExample(name: folder, kind: .pack, summary: String(title.drop { "# ".contains($0) })))
      }
      // Text below the table can name a file again.
      examples += lines.flatMap { rows(of: $0, in: folder, kind) }.filter { names.insert($0.name).inserted }
    }
    return examples
  }

  /// The examples of a row, whose first cell names files or folders between backticks. Other rows have none.
  private func rows(of line: Substring, in folder: String, _ kind: ListedExample.Kind) -> [ListedExample] {
    let cells = line.components(between: "|")
    guard cells.count > 1 else { return [] }
    let parts = cells[0].components(between: "`").map { $0.last == "/" ? $0.dropLast() : $0 }
    return parts.compactMap { part -> ListedExample? in
      guard let path = path(of: "\(folder)/\(part)") else { return nil }
      let isPack = InputFile.isDirectory(path)
      if isPack, kind != .scenario { return nil }
      let summary = cells[1].replacing("`", with: "").replacing("**", with: "")
      return ListedExample(name: "\(folder)/\(part)", kind: isPack ? .pack : kind, summary: String(summary))
    }
  }
}

extension Substring {
  /// The parts between marks, without spaces around them and without empty ones: the cells of a row of a table, or the words in
  /// backticks.
  fileprivate func components(between mark: Character) -> [Substring] {
    split(separator: mark).map { $0.trimmed }.filter { !$0.isEmpty }
  }

  private var trimmed: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

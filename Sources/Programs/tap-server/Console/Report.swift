import JSON
import Octets
import ProgramSupport
import DisplayText

/// The output of one command of the operator, as text or as JSON Lines.
struct Report {
  let operation: String
  let output: EventOutput

  init(_ operation: String, _ format: OutputFormat) { (self.operation, output) = (operation, EventOutput(format)) }

  /// Prints a result: the text for people, or the members as one line of JSON with the name of the event.
  func result(_ event: String, _ members: [(String, JSONValue?)], text: String) {
    output.event(event, members, text: text)
  }

  /// Prints a remark for people. It is no part of the JSON.
  func remark(_ text: String) {
    if output.format == .text { output.print(text) }
  }

  /// Prints a page of a list: the members as JSON, lines with tabs, or at a terminal a table with the names of the columns.
  /// No cell can end its row or begin another cell.
  func page(_ event: String, _ entries: [ListEntry], columns: [String]) {
    let rows = entries.flatMap(\.visibleRows)
    if output.format == .text, !rows.isEmpty, let width = Console.width {
      return TextTable([columns] + rows).lines(width: width).forEach(output.print)
    }
    for entry in entries {
      let lines = entry.visibleRows.map { $0.joined(separator: "\t") }
      result(event, entry.members, text: lines.joined(separator: "\n"))
    }
  }

  /// Runs a command and prints its last line.
  ///
  /// - Parameter done: What the command has done, for people; nil when its results say enough.
  /// - Throws: The exit code.
  func run(done: String? = nil, _ body: () async throws(CommandFailure) -> Void) async throws {
    do throws(CommandFailure) {
      try await body()
    } catch {
      Console.note("error: \(error.message)")
      output.failed(operation, error)
      throw error.exit.code
    }
    output.succeeded(operation, text: done)
  }
}

/// An entry of a list.
struct ListEntry {
  let members: [(String, JSONValue?)]
  /// The cells for people, one row or more.
  let rows: [[String]]

  fileprivate var visibleRows: [[String]] { rows.map { row in row.map { $0.visible() } } }
}

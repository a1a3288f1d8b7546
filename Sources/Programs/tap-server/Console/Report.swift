import JSON
import Octets
import ProgramSupport
import TerminalText

/// The output of one command of the operator, as text or as JSON Lines.
struct Report {
  let operation: String
  let format: OutputFormat

  /// Prints a result: the text for people, or the members as one line of JSON with the name of the event.
  func result(_ event: String, _ members: [(String, JSONValue?)], text: String) {
    switch format {
    case .text: Console.printLines(text)
    case .json: Console.print(JSONValue(members: [("event", JSONValue(event))] + members))
    }
  }

  /// Prints a remark for people. It is no part of the JSON.
  func remark(_ text: String) {
    if format == .text { Console.printLines(text) }
  }

  /// Prints a page of a list: the members as JSON, lines with tabs, or at a terminal a table with the names of the columns.
  /// No cell can end its row or begin another cell.
  func page(_ event: String, _ entries: [ListEntry], columns: [String]) {
    let rows = entries.flatMap(\.visibleRows)
    if format == .text, !rows.isEmpty, let width = Console.width {
      return TextTable([columns] + rows).lines(width: width).forEach(Console.printLines)
    }
    for entry in entries {
      let lines = entry.visibleRows.map { $0.joined(separator: "\t") }
      result(event, entry.members, text: lines.joined(separator: "\n"))
    }
  }

  /// Runs a command and prints its last line.
  ///
  /// - Throws: The exit code.
  func run(_ body: () async throws(CommandFailure) -> Void) async throws {
    do throws(CommandFailure) {
      try await body()
    } catch {
      Console.note("error: \(error.message)")
      let cause: JSONValue = ["code": JSONValue(error.code), "message": JSONValue(error.message)]
      end("failed", cause)
      throw error.exit.code
    }
    end("succeeded", nil)
  }

  private func end(_ event: String, _ error: JSONValue?) {
    guard format == .json else { return }
    let members = [("event", JSONValue(event)), ("operation", JSONValue(operation)), ("error", error)]
    Console.print(JSONValue(members: members))
  }
}

/// An entry of a list.
struct ListEntry {
  let members: [(String, JSONValue?)]
  /// The cells for people, one row or more.
  let rows: [[String]]

  fileprivate var visibleRows: [[String]] { rows.map { row in row.map { $0.visible() } } }
}

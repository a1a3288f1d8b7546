import ArgumentParser
import JSON
import Octets

/// The output of one command of the operator, as text or as JSON Lines.
struct Report {
  let operation: String
  let format: OutputFormat

  /// Prints a result: the text for people, or the members as one line of JSON with the name of the event.
  func result(_ event: String, _ members: [(String, JSONValue?)], text: String) {
    switch format {
    case .text: Console.print(text)
    case .json: Console.print(JSONValue(members: [("event", JSONValue(event))] + members))
    }
  }

  /// Prints a result, for people as a row. No column can end its row or begin another column.
  func result(_ event: String, _ members: [(String, JSONValue?)], row: [String]) {
    result(event, members, text: Self.row(row))
  }

  /// The text of a row.
  static func row(_ columns: [String]) -> String { columns.map { $0.visible() }.joined(separator: "\t") }

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
      throw error.exitCode
    }
    end("succeeded", nil)
  }

  private func end(_ event: String, _ error: JSONValue?) {
    guard format == .json else { return }
    let members = [("event", JSONValue(event)), ("operation", JSONValue(operation)), ("error", error)]
    Console.print(JSONValue(members: members))
  }
}

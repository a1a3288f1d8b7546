import JSON
import Synchronization
import TestSupport
import Testing

/// Checks the lines of JSON that a program prints in any test against its schema. Lines of one form are checked once.
final class SchemaCheck: Sendable {
  static let wallet = SchemaCheck("wallet-output")
  static let server = SchemaCheck("server-output")

  private let file: SchemaFile
  private let known = Mutex<Set<String>>([])

  private init(_ name: String) { file = SchemaFile(name) }

  func check(_ lines: [JSONValue]) throws {
    let new = lines.filter { line in known.withLock { $0.insert(Self.form(of: line)).inserted } }
    guard !new.isEmpty else { return }
    let text = new.map { $0.compact + "\n" }.joined()
    let refused = try file.refused(text, "line")
    #expect(refused == "", "\(refused)\n\(text)")
  }

  /// The keys and kinds of a value, and the names that say what it is.
  private static func form(of value: JSONValue, _ key: String = "") -> String {
    if let members = value.members {
      return "{" + members.map { "\($0.key): \(form(of: $0.value, $0.key))" }.sorted().joined(separator: ", ") + "}"
    }
    if let list = value.list { return "\(Set(list.map { form(of: $0) }).sorted())" }
    return ["event", "operation"].contains(key) ? value.text ?? "" : value.kind
  }
}

/// The text format of Prometheus, version 0.0.4.
enum PrometheusText {
  /// One line with a value.
  static func sample(_ name: String, _ labels: String, _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
  }

  /// Labels without their braces: `route="GET /a",status="200"`.
  static func labels(_ labels: [(String, String)]) -> String {
    labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
  }

  /// Labels and further ones.
  static func joined(_ labels: String, _ further: String) -> String {
    labels.isEmpty ? further : "\(labels),\(further)"
  }

  /// A number as Go reads it. A whole one has no decimal point.
  static func number(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "\(value)" }

  // A label value has a backslash before a backslash, a quotation mark, and the n of a line feed.
  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

public import Documents
internal import JSON

/// All problems of a configuration, each with its place.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one, in the order of the text.
  public let problems: [DocumentProblem]

  /// One problem a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }

  /// Reads a document and throws all problems that are found in it.
  static func reporting<Document>(
    in octets: [UInt8], _ read: (inout ObjectReader) -> Document
  ) throws(ConfigurationError) -> Document {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch {
      throw ConfigurationError(problems: [
        DocumentProblem("", at: error.position, "expected \(error.expected), found \(error.found)")
      ])
    }
    var reader = ObjectReader(value)
    let document = read(&reader)
    let problems = reader.finish()
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    return document
  }
}

internal import EMVData

/// Everything that is wrong with a card profile, together.
public struct CardProfileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// Where: `applications[0].records[2].data[1]`.
    public let path: String
    /// What: the value and the limit.
    public let message: String

    init(_ path: String, _ message: String) {
      self.path = path
      self.message = message
    }

    init(_ error: DecodingError, in json: [UInt8]) {
      switch error {
      case .keyNotFound(let key, let context):
        self.init(Self.path(context.codingPath), "\"\(key.stringValue)\" is missing")
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
        self.init(Self.path(context.codingPath), "\(Self.name(of: type)) is needed")
      case .dataCorrupted(let context):
        let path = Self.path(context.codingPath)
        self.init(path, path.isEmpty ? jsonFault(in: json) : context.debugDescription)
      @unknown default:
        self.init("", "the profile cannot be read")
      }
    }

    /// A type of the profile in the words of JSON.
    private static func name(of type: any Any.Type) -> String {
      switch type {
      case is String.Type: "text"
      case is Bool.Type: "true or false"
      case is [String: Any].Type: "an object"
      case is [Any].Type: "a list"
      default: "a whole number"
      }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
      keys.reduce("") { path, key in
        if let index = key.intValue { return path + "[\(index)]" }
        return path.isEmpty ? key.stringValue : path + "." + key.stringValue
      }
    }

    /// The place and what is wrong there.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// All problems, in the order of the profile.
  public let problems: [Problem]

  init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// One line per problem.
  public var description: String {
    let head =
      problems.count == 1 ? "the card profile has a problem" : "the card profile has \(problems.count) problems"
    return ([head + ":"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}

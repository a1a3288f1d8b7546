import ProgramSupport

/// An object of JSON that the program prints. A literal makes one; a key whose value is nil is left out.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let members: [(key: String, value: (any Encodable)?)]

  init(_ members: [(key: String, value: (any Encodable)?)]) { self.members = members }

  init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.init(members.map { (key: $0, value: $1) })
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (key, value) in members {
      if let value { try container.encode(value, forKey: Name(stringValue: key)) }
    }
  }

  /// An error of a command, as every report with an error has it.
  static func failure(_ code: String, _ message: String) -> JSONObject { ["code": code, "message": message] }

  /// The only line of a command that ends with an error.
  static func error(_ error: any Error) -> JSONObject {
    ["error": failure(ErrorCode.name(of: error), "\(error)")]
  }
}

extension OutputFormat {
  /// Prints a result: its lines, or its JSON.
  func print(_ lines: @autoclosure () -> [String], json: @autoclosure () -> JSONObject) throws {
    switch self {
    case .text: lines().forEach(Console.print)
    case .json: try Console.print(json: json())
    }
  }

  /// Prints a result: its line, or its JSON.
  func print(_ line: @autoclosure () -> String, json: @autoclosure () -> JSONObject) throws {
    try print([line()], json: json())
  }
}

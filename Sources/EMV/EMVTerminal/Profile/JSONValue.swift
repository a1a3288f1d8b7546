// Any JSON, so that a profile's shape can be looked at as a whole: decoding a type stops at the first fault.
enum JSONValue: Encodable, Hashable {
  case null
  case flag(Bool)
  case integer(Int)
  case fraction
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null, .fraction: try container.encodeNil()
    case .flag(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  var kind: String {
    switch self {
    case .null: "null"
    case .flag: "true or false"
    case .integer: "a whole number"
    case .fraction: "a number that is not whole or too large"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

// Any JSON, so that a profile's shape can be looked at as a whole: decoding a type stops at the first fault.
enum JSONValue: Codable, Hashable {
  case null
  case flag(Bool)
  case integer(Int)
  case fraction
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .list(value)
    } else if let value = try? container.decode([String: JSONValue].self) {
      self = .object(value)
    } else {
      self = .fraction
    }
  }

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

/// A JSON value (RFC 8259) and its place in the text that it was read from.
///
/// Two values are equal when their contents are equal; places do not count. Literals make values:
/// `["name": "kiosk", "limits": [100, 200], "isOpen": true]`. The keys of an object keep their order.
public struct JSONValue: Sendable {
  /// The value without its place.
  public enum Content: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case flag(Bool)
    /// A number as it is written in the text. See `JSONValue.integer` and `JSONValue.number`.
    case number(String)
    /// A string, without quotation marks and escapes.
    case text(String)
    /// An array.
    case list([JSONValue])
    /// The members of an object, in the order of the text. No key occurs twice.
    case object([Member])
  }

  /// A key of an object with its value.
  public struct Member: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The place of the key's opening quotation mark.
    public let position: JSONPosition
    /// The value.
    public let value: JSONValue

    /// Creates a member.
    public init(_ key: String, _ value: JSONValue, at position: JSONPosition = .start) {
      self.key = key
      self.position = position
      self.value = value
    }

    /// Whether key and value are equal.
    public static func == (first: Member, second: Member) -> Bool {
      first.key == second.key && first.value == second.value
    }

    /// Hashes key and value.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(value)
    }
  }

  /// The value.
  public let content: Content
  /// The place of the value's first character.
  public let position: JSONPosition

  /// Creates a value.
  public init(_ content: Content, at position: JSONPosition = .start) {
    self.content = content
    self.position = position
  }

  /// The value of a key of an object. Nil when the object does not have the key or the value is not an object.
  public subscript(key: String) -> JSONValue? {
    members?.first { $0.key == key }?.value
  }

  /// The text of a string, or nil.
  public var text: String? {
    guard case .text(let text) = content else { return nil }
    return text
  }

  /// The value of `true` and `false`, or nil.
  public var flag: Bool? {
    guard case .flag(let flag) = content else { return nil }
    return flag
  }

  /// The values of an array, or nil.
  public var list: [JSONValue]? {
    guard case .list(let values) = content else { return nil }
    return values
  }

  /// The members of an object, or nil.
  public var members: [Member]? {
    guard case .object(let members) = content else { return nil }
    return members
  }

  /// A whole number of at most 64 bits, or nil. `1.0` and `1e2` are whole up to 2^53.
  public var integer: Int? {
    guard case .number(let text) = content else { return nil }
    if let integer = Int(text) { return integer }
    guard let number = Double(text), abs(number) <= 9_007_199_254_740_992 else { return nil }
    return Int(exactly: number)
  }

  /// A number, rounded to the nearest `Double`. Nil when the value is not a number or is beyond the range of `Double`.
  public var number: Double? {
    guard case .number(let text) = content, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// Whether the value is `null`.
  public var isNull: Bool { content == .null }

  /// The kind of the value in words, such as `a list` or `text`, for error messages.
  public var kind: String {
    switch content {
    case .null: "null"
    case .flag: "true or false"
    case .number: integer == nil ? "a number that is not whole or too large" : "a whole number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// An error at this value's place. It names the value's kind, never the value.
  ///
  /// - Parameter expected: What the place must have, such as `a list of exchanges`.
  public func mismatch(expected: String) -> JSONError {
    JSONError(at: position, expected: expected, found: kind)
  }
}

extension JSONValue: Hashable {
  /// Whether the contents are equal.
  public static func == (first: JSONValue, second: JSONValue) -> Bool { first.content == second.content }

  /// Hashes the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a string.
  public init(stringLiteral text: String) { self.init(text) }
  /// Creates a number.
  public init(integerLiteral integer: Int) { self.init(integer) }
  /// Creates `true` or `false`.
  public init(booleanLiteral flag: Bool) { self.init(flag) }
  /// Creates `null`.
  public init(nilLiteral: ()) { self.init(.null) }
  /// Creates an array.
  public init(arrayLiteral values: JSONValue...) { self.init(values) }
  /// Creates an object. Traps when a key occurs twice.
  public init(dictionaryLiteral members: (String, JSONValue)...) { self.init(members: members) }

  /// Creates a string.
  public init(_ text: String) { self.init(.text(text)) }
  /// Creates `true` or `false`.
  public init(_ flag: Bool) { self.init(.flag(flag)) }
  /// Creates an array.
  public init(_ values: [JSONValue]) { self.init(.list(values)) }
  /// Creates a whole number.
  public init(_ integer: some BinaryInteger) { self.init(.number("\(integer)")) }

  /// Creates a number; a whole one up to 2^53 is written without a decimal point. Traps when it is not finite, because
  /// JSON cannot write it.
  public init(_ number: Double) {
    precondition(number.isFinite, "JSON has no number for \(number)")
    if abs(number) <= 9_007_199_254_740_992, let integer = Int(exactly: number) {
      self.init(integer)
    } else {
      self.init(.number("\(number)"))
    }
  }

  /// Creates an object whose keys keep the given order. Members whose value is nil are left out. Traps when a key
  /// occurs twice.
  public init(members: [(key: String, value: JSONValue?)]) {
    let members = members.compactMap { key, value in value.map { Member(key, $0) } }
    precondition(Set(members.map(\.key)).count == members.count, "an object has each key once")
    self.init(.object(members))
  }
}

public import JSON

/// Reads the members of one object and throws at the first problem.
///
/// `ObjectReader` reads the same kinds and notes every problem. A `MessageTable` reads each of its members strictly, and
/// throws the problems of all of them together.
///
/// Unknown members are ignored. A member of the wrong type is an error even when it is optional. A member whose value is
/// `null` is absent.
public struct StrictReader: Sendable {
  /// The place of the object in the document, such as `$[0].policy`.
  public let path: String
  private let json: JSONValue

  /// Creates a reader.
  ///
  /// - Throws: `DocumentError` when the value is not an object.
  public init(_ json: JSONValue, at path: String = "$") throws(DocumentError) {
    guard json.members != nil else {
      throw DocumentError(path, at: json.position, Reason.needed("an object", not: json.kind))
    }
    self.json = json
    self.path = path
  }

  /// Creates an error at a member.
  public func error(_ name: String, _ reason: String) -> DocumentError {
    DocumentError("\(path).\(name)", at: (json[name] ?? json).position, reason)
  }

  /// The problems of members other than these.
  func unknownMembers(besides names: [String]) -> [DocumentProblem] {
    (json.members ?? []).filter { !names.contains($0.key) }.map {
      DocumentProblem("\(path).\($0.key)", at: $0.position, Reason.unknown($0.key, among: names))
    }
  }

  /// Reads a member with a function of a value and its path; nil when the member is absent.
  public func optionalValue<Value>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(DocumentError) -> Value
  ) throws(DocumentError) -> Value? {
    guard let value = json[name], !value.isNull else { return nil }
    return try read(value, "\(path).\(name)")
  }

  /// Reads a required member with a function of a value and its path.
  ///
  /// - Parameter expected: The kind of the value in words, for the error of an absent member.
  public func value<Value>(
    _ name: String, expected: String = "a value", _ read: (JSONValue, _ path: String) throws(DocumentError) -> Value
  ) throws(DocumentError) -> Value {
    guard let value = try optionalValue(name, read) else { throw error(name, Reason.missing(expected)) }
    return value
  }

  /// Reads a required text. The range counts UTF-16 code units, as the type DOMString does.
  public func text(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> String {
    try value(name, expected: "text") { (json, path) throws(DocumentError) in try Self.text(json, range, at: path) }
  }

  /// Reads a text; nil when the member is absent.
  public func optionalText(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> String? {
    try optionalValue(name) { (json, path) throws(DocumentError) in try Self.text(json, range, at: path) }
  }

  /// Reads a text that is the raw value of a case; nil when the member is absent.
  public func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String
  ) throws(DocumentError) -> Choice? {
    guard let text = try optionalText(name, 1...64) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      throw error(name, "must be \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
    }
    return choice
  }

  /// Reads a required text that is the raw value of a case.
  public func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String
  ) throws(DocumentError) -> Choice {
    guard let choice: Choice = try optionalChoice(name) else { throw error(name, Reason.missing("text")) }
    return choice
  }

  /// Reads a whole number; nil when the member is absent.
  public func optionalNumber(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> Int? {
    try optionalValue(name) { (json, path) throws(DocumentError) in try Self.number(json, range, at: path) }
  }

  /// Reads a required whole number.
  public func number(_ name: String, _ range: ClosedRange<Int>) throws(DocumentError) -> Int {
    try value(name, expected: "a whole number") { (json, path) throws(DocumentError) in
      try Self.number(json, range, at: path)
    }
  }

  /// Reads a required flag.
  public func flag(_ name: String) throws(DocumentError) -> Bool {
    try value(name, expected: "true or false", Self.flag)
  }

  /// Reads a flag; nil when the member is absent.
  public func optionalFlag(_ name: String) throws(DocumentError) -> Bool? { try optionalValue(name, Self.flag) }

  /// Reads the elements of a list, each with its path; nil when the member is absent.
  public func optionalList<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(DocumentError) -> Element
  ) throws(DocumentError) -> [Element]? {
    try optionalValue(name) { (json, path) throws(DocumentError) in try Self.list(json, at: path, read) }
  }

  /// Reads the elements of a required list.
  public func list<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(DocumentError) -> Element
  ) throws(DocumentError) -> [Element] {
    try value(name, expected: "a list") { (json, path) throws(DocumentError) in try Self.list(json, at: path, read) }
  }
}

// Values with their paths.
extension StrictReader {
  /// Far above every list of a message.
  private static let maximumListCount = 1_024

  /// Reads the elements of a list, each with its path.
  public static func list<Element>(
    _ value: JSONValue, at path: String, _ read: (JSONValue, _ path: String) throws(DocumentError) -> Element
  ) throws(DocumentError) -> [Element] {
    guard let list = value.list else { throw needed("a list", value, at: path) }
    guard list.count <= maximumListCount else {
      throw DocumentError(path, at: value.position, "\(list.count) elements: at most \(maximumListCount) are read")
    }
    return try list.enumerated().map { (index, value) throws(DocumentError) in try read(value, "\(path)[\(index)]") }
  }

  /// Reads a text. The range counts UTF-16 code units.
  public static func text(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(DocumentError) -> String {
    guard let text = value.text else { throw needed("text", value, at: path) }
    try check(text.utf16.count, "character", range, value, at: path)
    // No member of a message needs it, and databases and C functions take it for the end.
    guard !text.utf8.contains(0) else { throw DocumentError(path, at: value.position, "must not contain U+0000") }
    return text
  }

  /// Reads a whole number.
  public static func number(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(DocumentError) -> Int {
    guard let number = value.integer else { throw needed("a whole number", value, at: path) }
    guard range.contains(number) else {
      throw DocumentError(path, at: value.position, Reason.number(number, in: range))
    }
    return number
  }

  private static func flag(_ value: JSONValue, at path: String) throws(DocumentError) -> Bool {
    guard let flag = value.flag else { throw needed("true or false", value, at: path) }
    return flag
  }

  /// Checks a length.
  ///
  /// - Parameter unit: The unit of the length, such as `byte`.
  public static func check(
    _ count: Int, _ unit: String, _ range: ClosedRange<Int>, _ value: JSONValue, at path: String
  ) throws(DocumentError) {
    guard range.contains(count) else {
      throw DocumentError(path, at: value.position, Reason.count(count, unit, in: range))
    }
  }

  /// The error of a value of another kind.
  public static func needed(_ expected: String, _ value: JSONValue, at path: String) -> DocumentError {
    DocumentError(path, at: value.position, Reason.needed(expected, not: value.kind))
  }
}

extension JSONValue {
  /// Parses a message.
  ///
  /// - Parameter path: The place of the message in the one that contains it.
  public init(message octets: some Sequence<UInt8>, at path: String = "$") throws(DocumentError) {
    do throws(JSONError) {
      self = try JSONValue(parsing: octets)
    } catch {
      throw DocumentError(path, at: error.position, "is not JSON: \(error)")
    }
  }
}

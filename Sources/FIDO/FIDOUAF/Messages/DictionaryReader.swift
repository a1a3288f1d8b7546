internal import JOSE
public import JSON

/// Reads the members of one dictionary of a UAF message, or of a body of the HTTP interface around it.
///
/// Every reading throws `UAFMessageError` with the path of the member when it has the wrong type or is out of range.
/// Unknown members are ignored: the protocol is extended by `exts` only. A member of the wrong type is an error even when
/// it is optional (FIDO UAF Protocol Specification 1.1, section 3.1).
public struct DictionaryReader {
  /// The place of the dictionary in the message, such as `$[0].policy`.
  public let path: String
  private let json: JSONValue

  /// Creates a reader.
  ///
  /// - Throws: `UAFMessageError` when the value is not an object.
  public init(_ json: JSONValue, at path: String = "$") throws(UAFMessageError) {
    guard json.members != nil else { throw UAFMessageError(path, "must be an object, not \(json.kind)") }
    self.json = json
    self.path = path
  }

  // The examples of the specification write absent members of a criterion as null.
  private func member(_ name: String) -> JSONValue? {
    guard let value = json[name], !value.isNull else { return nil }
    return value
  }

  /// Creates an error at a member.
  public func error(_ name: String, _ reason: String) -> UAFMessageError { UAFMessageError("\(path).\(name)", reason) }

  func refuseMembers(otherThan names: [String]) throws(UAFMessageError) {
    for member in json.members ?? [] where !names.contains(member.key) {
      let guess = member.key.nearest(in: names).map { "did you mean \($0)? " } ?? ""
      throw error(member.key, "no such key; \(guess)there are \(names.joined(separator: ", "))")
    }
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(UAFMessageError) -> Value {
    guard let value else { throw error(name, "is required") }
    return value
  }

  /// A required text. The range counts UTF-16 code units, as the type DOMString does.
  public func text(_ name: String, _ range: ClosedRange<Int>) throws(UAFMessageError) -> String {
    try required(name, optionalText(name, range))
  }

  /// A text, or nil when the member is absent.
  public func optionalText(_ name: String, _ range: ClosedRange<Int>) throws(UAFMessageError) -> String? {
    guard let value = member(name) else { return nil }
    return try Self.text(value, range, at: "\(path).\(name)")
  }

  /// A text that is the raw value of a case; nil when the member is absent.
  public func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String
  ) throws(UAFMessageError) -> Choice? {
    guard let text = try optionalText(name, 1...64) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      throw error(name, "must be \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")")
    }
    return choice
  }

  /// A required text that is the raw value of a case.
  public func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String
  ) throws(UAFMessageError) -> Choice { try required(name, optionalChoice(name)) }

  /// Required bytes in base64url. The range counts bytes.
  public func octets(_ name: String, _ range: ClosedRange<Int>) throws(UAFMessageError) -> [UInt8] {
    guard let value = member(name) else { throw error(name, "is required") }
    return try Self.octets(value, range, at: "\(path).\(name)")
  }

  /// A whole number, or nil when the member is absent.
  public func optionalNumber(_ name: String, _ range: ClosedRange<Int>) throws(UAFMessageError) -> Int? {
    guard let value = member(name) else { return nil }
    return try Self.number(value, range, at: "\(path).\(name)")
  }

  /// A required whole number.
  public func number(_ name: String, _ range: ClosedRange<Int>) throws(UAFMessageError) -> Int {
    try required(name, optionalNumber(name, range))
  }

  /// A required flag.
  public func flag(_ name: String) throws(UAFMessageError) -> Bool { try required(name, optionalFlag(name)) }

  /// A flag, or nil when the member is absent.
  public func optionalFlag(_ name: String) throws(UAFMessageError) -> Bool? {
    guard let value = member(name) else { return nil }
    guard let flag = value.flag else { throw error(name, "must be true or false, not \(value.kind)") }
    return flag
  }

  /// The elements of a list, each with its path; nil when the member is absent.
  public func optionalList<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(UAFMessageError) -> Element
  ) throws(UAFMessageError) -> [Element]? {
    guard let value = member(name) else { return nil }
    return try Self.list(value, at: "\(path).\(name)", read)
  }

  /// The elements of a required list.
  public func list<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(UAFMessageError) -> Element
  ) throws(UAFMessageError) -> [Element] {
    try required(name, optionalList(name, read))
  }

  /// A required object, read by a function.
  public func object<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(UAFMessageError) -> Element
  ) throws(UAFMessageError) -> Element {
    guard let value = member(name) else { throw error(name, "is required") }
    return try read(value, "\(path).\(name)")
  }

  /// An object, read by a function; nil when the member is absent.
  public func optionalObject<Element>(
    _ name: String, _ read: (JSONValue, _ path: String) throws(UAFMessageError) -> Element
  ) throws(UAFMessageError) -> Element? {
    guard let value = member(name) else { return nil }
    return try read(value, "\(path).\(name)")
  }

  static func list<Element>(
    _ value: JSONValue, at path: String, _ read: (JSONValue, _ path: String) throws(UAFMessageError) -> Element
  ) throws(UAFMessageError) -> [Element] {
    guard let list = value.list else { throw UAFMessageError(path, "must be a list, not \(value.kind)") }
    guard list.count <= Self.maximumListCount else {
      throw UAFMessageError(path, "\(list.count) elements: at most \(Self.maximumListCount) are read")
    }
    return try list.enumerated().map { (index, value) throws(UAFMessageError) in try read(value, "\(path)[\(index)]") }
  }

  /// The specification sets no limit to lists. This one is far above every policy in use.
  static let maximumListCount = 1_024

  static func text(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(UAFMessageError) -> String {
    guard let text = value.text else { throw UAFMessageError(path, "must be text, not \(value.kind)") }
    try check(text.utf16.count, range, "characters", at: path)
    // No member of a message needs it, and databases and C functions take it for the end.
    guard !text.utf8.contains(0) else { throw UAFMessageError(path, "must not contain U+0000") }
    return text
  }

  /// Reads bytes in base64url.
  ///
  /// - Parameters:
  ///   - range: How many bytes there may be.
  ///   - path: The place of the value in its message.
  public static func octets(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(UAFMessageError) -> [UInt8] {
    guard let text = value.text else { throw UAFMessageError(path, "must be text in base64url, not \(value.kind)") }
    let octets: [UInt8]
    do throws(JOSEError) {
      octets = try [UInt8](base64URL: text)
    } catch {
      throw UAFMessageError(path, "\(error)")
    }
    try check(octets.count, range, "bytes", at: path)
    return octets
  }

  static func number(
    _ value: JSONValue, _ range: ClosedRange<Int>, at path: String
  ) throws(UAFMessageError) -> Int {
    guard let number = value.integer else { throw UAFMessageError(path, "must be a whole number, not \(value.kind)") }
    guard range.contains(number) else {
      throw UAFMessageError(path, "\(number): the range is \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func check(
    _ count: Int, _ range: ClosedRange<Int>, _ unit: String, at path: String
  ) throws(UAFMessageError) {
    guard range.contains(count) else {
      throw UAFMessageError(path, "\(count) \(unit): \(range.lowerBound) to \(range.upperBound) are allowed")
    }
  }
}

extension JSONValue {
  /// Parses a message.
  ///
  /// - Parameter path: The place of the message in the one that contains it.
  public init(message octets: some Sequence<UInt8>, at path: String = "$") throws(UAFMessageError) {
    do throws(JSONError) {
      self = try JSONValue(parsing: octets)
    } catch {
      throw UAFMessageError(path, "is not JSON: \(error)")
    }
  }
}

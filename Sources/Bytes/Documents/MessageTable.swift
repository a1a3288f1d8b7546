public import JSON

/// A value that a member of a JSON object may have.
public protocol MessageValue: Sendable {
  /// Reads a value.
  ///
  /// - Parameter path: The place of the value, for an error.
  init(_ json: JSONValue, at path: String) throws(DocumentError)
  /// The value as JSON.
  var json: JSONValue { get }
}

/// A JSON object whose members are listed once, for reading and for writing.
public protocol JSONMessage: MessageValue {
  /// The members, in the order in which they are written.
  static var fields: MessageTable<Self> { get }
  /// Checks what the members say together.
  func check(_ reader: StrictReader) throws(DocumentError)
}

extension MessageValue {
  /// Reads a body.
  public init(_ json: JSONValue) throws(DocumentError) { try self.init(json, at: "$") }
}

extension JSONMessage {
  /// Reads an object. Members that the type does not know are ignored, unless its table is closed.
  ///
  /// - Throws: `DocumentError` with the problems of all members.
  public init(_ json: JSONValue, at path: String) throws(DocumentError) {
    let reader = try StrictReader(json, at: path)
    self = try Self.fields.read(reader)
    try check(reader)
  }

  /// Accepts all values.
  public func check(_ reader: StrictReader) throws(DocumentError) {}

  /// The members of the object.
  public var members: [(String, JSONValue?)] { Self.fields.write(self) }

  /// The object as JSON.
  public var json: JSONValue { JSONValue(members: members) }
}

/// The members of a JSON object, with the function that makes a value of them.
public struct MessageTable<Message>: Sendable {
  private let names: [String]
  private let isClosed: Bool
  private let make: @Sendable (StrictReader, inout [DocumentProblem]) -> Message?
  let write: @Sendable (Message) -> [(String, JSONValue?)]

  /// A value that is there because no member has a problem.
  private static func present<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("a member without a problem has a value") }
    return value
  }

  /// Reads all members.
  func read(_ reader: StrictReader) throws(DocumentError) -> Message {
    var problems = isClosed ? reader.unknownMembers(besides: names) : []
    guard let message = make(reader, &problems), problems.isEmpty else { throw DocumentError(problems) }
    return message
  }
}

extension MessageTable {
  /// Creates a table.
  ///
  /// - Parameters:
  ///   - make: Makes a value of those of the members.
  ///   - field: The members, in the order of the parameters of `make`.
  public init<each Value>(
    _ make: @escaping @Sendable (repeat each Value) -> Message, _ field: repeat MessageField<Message, each Value>
  ) {
    var names: [String] = []
    for field in repeat each field { names.append(field.name) }
    self.names = names
    isClosed = false
    self.make = { reader, problems in
      let known = problems.count
      let values = (repeat (each field).value(of: reader, &problems))
      guard problems.count == known else { return nil }
      return make(repeat Self.present(each values))
    }
    write = { message in
      var members: [(String, JSONValue?)] = []
      for field in repeat each field { members.append((field.name, field.json(message))) }
      return members
    }
  }

  /// The same table, for objects that have no other members.
  public var closed: MessageTable { MessageTable(names: names, isClosed: true, make: make, write: write) }
}

/// A member of a JSON object. An optional one is left out when it is nil.
public struct MessageField<Message, Value>: Sendable {
  let name: String
  private let read: @Sendable (StrictReader) throws(DocumentError) -> Value
  let json: @Sendable (Message) -> JSONValue?

  /// Creates a member of a kind that the other functions do not have.
  public static func custom(
    _ name: String, _ path: any KeyPath<Message, Value> & Sendable,
    read: @escaping @Sendable (StrictReader) throws(DocumentError) -> Value,
    json: @escaping @Sendable (Value) -> JSONValue?
  ) -> MessageField {
    MessageField(name: name, read: read, json: { json($0[keyPath: path]) })
  }

  /// Reads the member; nil after it has added its problems.
  func value(of reader: StrictReader, _ problems: inout [DocumentProblem]) -> Value? {
    do throws(DocumentError) {
      return try read(reader)
    } catch {
      problems += error.problems
      return nil
    }
  }
}

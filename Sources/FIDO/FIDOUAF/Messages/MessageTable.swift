public import JSON

/// A value that a member of a JSON object may have.
public protocol MessageValue: Sendable {
  /// Reads a value.
  ///
  /// - Parameter path: The place of the value, for an error.
  init(_ json: JSONValue, at path: String) throws(UAFMessageError)
  /// The value as JSON.
  var json: JSONValue { get }
}

extension AAID: MessageValue {}
extension KeyID: MessageValue {}

/// A JSON object whose members are listed once, for reading and for writing.
public protocol JSONMessage: MessageValue {
  /// The members, in the order in which they are written.
  static var fields: MessageTable<Self> { get }
  /// Checks what the members say together.
  func check(_ reader: DictionaryReader) throws(UAFMessageError)
}

extension MessageValue {
  /// Reads a body.
  public init(_ json: JSONValue) throws(UAFMessageError) { try self.init(json, at: "$") }
}

extension JSONMessage {
  /// Reads an object. Members that the type does not know are ignored, unless its table is closed.
  public init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    self = try Self.fields.read(reader)
    try check(reader)
  }

  /// Accepts all values.
  public func check(_ reader: DictionaryReader) throws(UAFMessageError) {}

  /// The members of the object.
  public var members: [(String, JSONValue?)] { Self.fields.write(self) }

  /// The object as JSON.
  public var json: JSONValue { JSONValue(members: members) }
}

/// The members of a JSON object, with the function that makes a value of them.
public struct MessageTable<Message>: Sendable {
  let names: [String]
  let read: @Sendable (DictionaryReader) throws(UAFMessageError) -> Message
  let write: @Sendable (Message) -> [(String, JSONValue?)]
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
    read = { (reader: DictionaryReader) throws(UAFMessageError) -> Message in
      make(repeat try (each field).read(reader))
    }
    write = { message in
      var members: [(String, JSONValue?)] = []
      for field in repeat each field { members.append((field.name, field.json(message))) }
      return members
    }
  }

  /// The same table, for objects that have no other members.
  public var closed: MessageTable {
    MessageTable(
      names: names,
      read: { [names, read] (reader: DictionaryReader) throws(UAFMessageError) -> Message in
        try reader.refuseMembers(otherThan: names)
        return try read(reader)
      }, write: write)
  }
}

/// A member of a JSON object. An optional one is left out when it is nil.
public struct MessageField<Message, Value>: Sendable {
  let name: String
  let read: @Sendable (DictionaryReader) throws(UAFMessageError) -> Value
  let json: @Sendable (Message) -> JSONValue?

  /// Creates a member of a kind that the other functions do not have.
  public static func custom(
    _ name: String, _ path: any KeyPath<Message, Value> & Sendable,
    read: @escaping @Sendable (DictionaryReader) throws(UAFMessageError) -> Value,
    json: @escaping @Sendable (Value) -> JSONValue?
  ) -> MessageField {
    MessageField(name: name, read: read, json: { json($0[keyPath: path]) })
  }
}

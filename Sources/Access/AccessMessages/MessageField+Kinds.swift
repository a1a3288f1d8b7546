internal import FIDOUAF
internal import JSON

extension MessageField where Value == String {
  /// A text. The range counts UTF-16 code units.
  public static func text(
    _ name: String, _ path: any KeyPath<Message, String> & Sendable, _ range: ClosedRange<Int>
  ) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.text(name, range) }) { JSONValue($0) }
  }
}

extension MessageField where Value == String? {
  /// An optional text. The range counts UTF-16 code units.
  public static func text(
    _ name: String, _ path: any KeyPath<Message, String?> & Sendable, _ range: ClosedRange<Int>
  ) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.optionalText(name, range) }) {
      $0.map { JSONValue($0) }
    }
  }
}

extension MessageField where Value == Int {
  /// A whole number.
  public static func number(
    _ name: String, _ path: any KeyPath<Message, Int> & Sendable, _ range: ClosedRange<Int>
  ) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.number(name, range) }) { JSONValue($0) }
  }
}

extension MessageField where Value == Int? {
  /// An optional whole number.
  public static func number(
    _ name: String, _ path: any KeyPath<Message, Int?> & Sendable, _ range: ClosedRange<Int>
  ) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.optionalNumber(name, range) }) {
      $0.map { JSONValue($0) }
    }
  }
}

extension MessageField where Value == Int64 {
  /// A whole number that is not negative, such as a moment or an amount.
  public static func number(_ name: String, _ path: any KeyPath<Message, Int64> & Sendable) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in Int64(try reader.number(name, 0...Int.max)) }) {
      JSONValue($0)
    }
  }
}

extension MessageField where Value == Int64? {
  /// An optional whole number that is not negative, such as a moment.
  public static func number(_ name: String, _ path: any KeyPath<Message, Int64?> & Sendable) -> MessageField {
    custom(
      name, path,
      read: { (reader) throws(UAFMessageError) in try reader.optionalNumber(name, 0...Int.max).map { Int64($0) } }
    ) { $0.map { JSONValue($0) } }
  }
}

extension MessageField where Value == Bool {
  /// A flag.
  public static func flag(_ name: String, _ path: any KeyPath<Message, Bool> & Sendable) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.flag(name) }) { JSONValue($0) }
  }

  /// A flag that is left out when it is false.
  public static func raisedFlag(_ name: String, _ path: any KeyPath<Message, Bool> & Sendable) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.optionalFlag(name) ?? false }) {
      $0 ? .some(JSONValue(true)) : .none
    }
  }
}

extension MessageField where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// One of some texts.
  ///
  /// - Parameter absent: The value of an absent member; nil: the member is required.
  public static func choice(
    _ name: String, _ path: any KeyPath<Message, Value> & Sendable, absent: Value? = nil
  ) -> MessageField {
    custom(
      name, path,
      read: { (reader) throws(UAFMessageError) in
        if let absent { return try reader.optionalChoice(name) ?? absent }
        return try reader.choice(name)
      }
    ) { JSONValue($0.rawValue) }
  }
}

extension MessageField where Value: MessageValue {
  /// An object, or a value with a form of its own.
  public static func value(_ name: String, _ path: any KeyPath<Message, Value> & Sendable) -> MessageField {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.object(name, Value.init(_:at:)) }) {
      $0.json
    }
  }
}

extension MessageField {
  /// An optional object, or an optional value with a form of its own.
  public static func value<Wrapped: MessageValue>(
    _ name: String, _ path: any KeyPath<Message, Wrapped?> & Sendable
  ) -> MessageField where Value == Wrapped? {
    custom(
      name, path,
      read: { (reader) throws(UAFMessageError) in try reader.optionalObject(name, Wrapped.init(_:at:)) }
    ) { $0?.json }
  }

  /// A list.
  public static func list<Element: MessageValue>(
    _ name: String, _ path: any KeyPath<Message, [Element]> & Sendable
  ) -> MessageField where Value == [Element] {
    custom(name, path, read: { (reader) throws(UAFMessageError) in try reader.list(name, Element.init(_:at:)) }) {
      JSONValue($0.map(\.json))
    }
  }
}

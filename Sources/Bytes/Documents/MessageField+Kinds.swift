internal import JSON

extension MessageField {
  /// The property that a member stands for.
  public typealias Property = any KeyPath<Message, Value> & Sendable

  /// A text. The range counts UTF-16 code units.
  public static func text(_ name: String, _ path: Property, _ range: ClosedRange<Int>) -> MessageField
  where Value == String {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.text(name, range) }) { JSONValue($0) }
  }

  /// An optional text. The range counts UTF-16 code units.
  public static func text(_ name: String, _ path: Property, _ range: ClosedRange<Int>) -> MessageField
  where Value == String? {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.optionalText(name, range) }) {
      $0.map { JSONValue($0) }
    }
  }

  /// An optional list of texts. The range counts UTF-16 code units.
  public static func texts(_ name: String, _ path: Property, _ range: ClosedRange<Int>) -> MessageField
  where Value == [String]? {
    optionalList(name, path) { (json, path) throws(DocumentError) in
      try StrictReader.text(json, range, at: path)
    } json: {
      JSONValue($0)
    }
  }

  /// A whole number. Without a range, all numbers of the type that are not negative.
  public static func number(
    _ name: String, _ path: Property, _ range: ClosedRange<Int> = 0...Int(clamping: Value.max)
  ) -> MessageField where Value: FixedWidthInteger & Sendable {
    custom(
      name, path, read: { (reader) throws(DocumentError) in Value(clamping: try reader.number(name, range)) }
    ) { JSONValue(Int(clamping: $0)) }
  }

  /// An optional whole number. Without a range, all numbers of the type that are not negative.
  public static func number<Number: FixedWidthInteger & Sendable>(
    _ name: String, _ path: Property, _ range: ClosedRange<Int> = 0...Int(clamping: Number.max)
  ) -> MessageField where Value == Number? {
    custom(
      name, path,
      read: { (reader) throws(DocumentError) in
        try reader.optionalNumber(name, range).map { Number(clamping: $0) }
      }
    ) { $0.map { JSONValue(Int(clamping: $0)) } }
  }

  /// An optional list of whole numbers.
  public static func numbers<Number: FixedWidthInteger & Sendable>(
    _ name: String, _ path: Property, _ range: ClosedRange<Int> = 0...Int(clamping: Number.max)
  ) -> MessageField where Value == [Number]? {
    optionalList(name, path) { (json, path) throws(DocumentError) in
      Number(clamping: try StrictReader.number(json, range, at: path))
    } json: {
      JSONValue(Int(clamping: $0))
    }
  }

  /// A flag.
  public static func flag(_ name: String, _ path: Property) -> MessageField where Value == Bool {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.flag(name) }) { JSONValue($0) }
  }

  /// An optional flag.
  public static func flag(_ name: String, _ path: Property) -> MessageField where Value == Bool? {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.optionalFlag(name) }) {
      $0.map { JSONValue($0) }
    }
  }

  /// A flag that is left out when it is false.
  public static func raisedFlag(_ name: String, _ path: Property) -> MessageField where Value == Bool {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.optionalFlag(name) ?? false }) {
      $0 ? .some(JSONValue(true)) : .none
    }
  }

  /// One of some texts.
  ///
  /// - Parameter absent: The value of an absent member; nil: the member is required.
  public static func choice(_ name: String, _ path: Property, absent: Value? = nil) -> MessageField
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    custom(
      name, path,
      read: { (reader) throws(DocumentError) in
        if let absent { return try reader.optionalChoice(name) ?? absent }
        return try reader.choice(name)
      }
    ) { JSONValue($0.rawValue) }
  }

  /// An object, or a value with a form of its own.
  public static func value(_ name: String, _ path: Property) -> MessageField where Value: MessageValue {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.value(name, Value.init(_:at:)) }) {
      $0.json
    }
  }

  /// An optional object, or an optional value with a form of its own.
  public static func value<Wrapped: MessageValue>(
    _ name: String, _ path: Property
  ) -> MessageField where Value == Wrapped? {
    custom(
      name, path,
      read: { (reader) throws(DocumentError) in try reader.optionalValue(name, Wrapped.init(_:at:)) }
    ) { $0?.json }
  }

  /// A list.
  public static func list<Element: MessageValue>(
    _ name: String, _ path: Property
  ) -> MessageField where Value == [Element] {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.list(name, Element.init(_:at:)) }) {
      JSONValue($0.map(\.json))
    }
  }

  /// An optional list.
  public static func list<Element: MessageValue>(
    _ name: String, _ path: Property
  ) -> MessageField where Value == [Element]? {
    optionalList(name, path, Element.init(_:at:), json: \.json)
  }

  /// A list that is left out when it is empty.
  public static func filledList<Element: MessageValue>(
    _ name: String, _ path: Property
  ) -> MessageField where Value == [Element] {
    custom(
      name, path,
      read: { (reader) throws(DocumentError) in try reader.optionalList(name, Element.init(_:at:)) ?? [] }
    ) { $0.isEmpty ? JSONValue?.none : JSONValue($0.map(\.json)) }
  }

  private static func optionalList<Element>(
    _ name: String, _ path: Property,
    _ read: @escaping @Sendable (JSONValue, String) throws(DocumentError) -> Element,
    json: @escaping @Sendable (Element) -> JSONValue
  ) -> MessageField where Value == [Element]? {
    custom(name, path, read: { (reader) throws(DocumentError) in try reader.optionalList(name, read) }) {
      $0.map { JSONValue($0.map(json)) }
    }
  }
}

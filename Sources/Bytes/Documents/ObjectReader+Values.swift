public import JSON

extension ObjectReader {
  /// Reads a required text.
  ///
  /// - Parameter characters: The permitted lengths; nil permits all.
  public mutating func text(_ key: String, characters: ClosedRange<Int>? = nil) -> String {
    optionalText(key, characters: characters, isRequired: true) ?? ""
  }

  /// Reads a text; nil when it is absent or wrong.
  ///
  /// - Parameter isRequired: Whether an absent value is a problem, here and in the other functions that may return nil.
  public mutating func optionalText(
    _ key: String, characters: ClosedRange<Int>? = nil, isRequired: Bool = false
  ) -> String? {
    read(key, isRequired: isRequired, expected: "text") { value, reader in
      guard let text = reader.scalar(value) else { return nil }
      guard let characters, !characters.contains(text.count) else { return text }
      reader.refuse(key, Reason.count(text.count, "character", in: characters))
      return nil
    }
  }

  /// Reads a required whole number.
  public mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int {
    optionalInteger(key, in: range, isRequired: true) ?? range.lowerBound
  }

  /// Reads a whole number; nil when it is absent or wrong.
  public mutating func optionalInteger(_ key: String, in range: ClosedRange<Int>, isRequired: Bool = false) -> Int? {
    read(key, isRequired: isRequired, expected: "a whole number") { value, reader in
      guard let integer = reader.notation.integer(value) else {
        reader.refuse(value, at: key, needed: Reason.integer(in: range))
        return nil
      }
      if range.contains(integer) { return integer }
      reader.refuse(key, Reason.number(integer, in: range))
      return nil
    }
  }

  /// Reads a required `true` or `false`.
  public mutating func flag(_ key: String) -> Bool { optionalFlag(key, isRequired: true) ?? false }

  /// Reads `true` or `false`; nil when it is absent or wrong.
  public mutating func optionalFlag(_ key: String, isRequired: Bool = false) -> Bool? {
    read(key, isRequired: isRequired, expected: "true or false") { value, _ in value.flag }
  }

  /// Reads a required text that is one of a list. Traps when the list is empty.
  ///
  /// - Parameter choices: The texts and what they stand for.
  public mutating func choice<T>(_ key: String, of choices: [(String, T)]) -> T {
    optionalChoice(key, of: choices, isRequired: true) ?? choices[0].1
  }

  /// Reads a text that is one of a list; nil when it is absent or wrong.
  public mutating func optionalChoice<T>(_ key: String, of choices: [(String, T)], isRequired: Bool = false) -> T? {
    precondition(!choices.isEmpty, "\(key): a choice needs at least one text")
    return read(key, isRequired: isRequired, expected: "text") { value, reader in
      guard let text = reader.scalar(value) else { return nil }
      if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
      let known = choices.map { $0.0 }.joined(separator: ", ")
      reader.refuse(key, "\"\(text.prefix(40))\" is not one of \(known)")
      return nil
    }
  }

  /// Reads a required list of texts. Elements that are wrong are left out.
  public mutating func texts(_ key: String) -> [String] { optionalTexts(key, isRequired: true) ?? [] }

  /// Reads a list of texts; nil when it is absent or not a list. Elements that are wrong are left out.
  public mutating func optionalTexts(_ key: String, isRequired: Bool = false) -> [String]? {
    optionalList(key, isRequired: isRequired) { element, place, reader in
      let text = reader.scalar(element)
      if text == nil { reader.refuse(element, at: place, needed: "text") }
      return text
    }
  }

  /// Reads a required list.
  ///
  /// - Parameter read: Takes an element, its place such as `aids[1]` for `note` and `refuse`, and this reader. Elements
  ///   for which it returns nil are left out.
  public mutating func list<T>(_ key: String, _ read: (JSONValue, String, inout ObjectReader) -> T?) -> [T] {
    optionalList(key, isRequired: true, read) ?? []
  }

  /// Reads a list; nil when it is absent or not a list. See `list(_:_:)`.
  public mutating func optionalList<T>(
    _ key: String, isRequired: Bool = false, _ read: (JSONValue, String, inout ObjectReader) -> T?
  ) -> [T]? {
    self.read(key, isRequired: isRequired, expected: "a list") { value, reader in
      value.list?.enumerated().compactMap { index, element in read(element, "\(key)[\(index)]", &reader) }
    }
  }

  /// Reads a required object. Its unknown keys are reported when the closure returns.
  public mutating func object<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> T {
    optionalObject(key, isRequired: true, read) ?? substitute(at: key, read)
  }

  /// Reads an object; nil when it is absent or wrong. Its unknown keys are reported when the closure returns.
  public mutating func optionalObject<T>(
    _ key: String, isRequired: Bool = false, _ read: (inout ObjectReader) -> T
  ) -> T? {
    self.read(key, isRequired: isRequired, expected: notation.object) { value, reader in
      value.members == nil ? nil : reader.object(value, at: key, read)
    }
  }

  /// Reads a required list of objects. An element of another kind is a problem and is read as a substitute, so that the
  /// result has as many elements as the list.
  public mutating func objects<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> [T] {
    optionalObjects(key, isRequired: true, read) ?? []
  }

  /// Reads a list of objects; nil when it is absent or not a list.
  public mutating func optionalObjects<T>(
    _ key: String, isRequired: Bool = false, _ read: (inout ObjectReader) -> T
  ) -> [T]? {
    optionalList(key, isRequired: isRequired) { element, place, reader in reader.object(element, at: place, read) }
  }
}

extension ObjectReader {
  /// The text of a value: in YAML also a number, `true` and `false`. Nil for any other value.
  public func scalar(_ value: JSONValue) -> String? { notation.scalar(value) }

  /// A value as a problem names it: by its kind in JSON, since it could be card data, and as it is written in YAML.
  public func found(_ value: JSONValue) -> String { notation.found(value) }
}

extension ObjectReader {
  /// Reads a declared text or choice. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func text(_ key: ProfileKey) -> String? {
    if case .choice(let choices) = key.kind {
      return optionalChoice(key.name, of: choices.map { ($0, $0) }, isRequired: key.isRequired)
        ?? fallback(key) { $0.text }
    }
    return optionalText(key.name, characters: key.range, isRequired: key.isRequired) ?? fallback(key) { $0.text }
  }

  /// Reads a declared whole number. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func integer(_ key: ProfileKey) -> Int? {
    optionalInteger(key.name, in: key.range ?? Int.min...Int.max, isRequired: key.isRequired)
      ?? fallback(key) { $0.integer }
  }

  /// Reads a declared flag. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func flag(_ key: ProfileKey) -> Bool? {
    optionalFlag(key.name, isRequired: key.isRequired) ?? fallback(key) { $0.flag }
  }

  /// Reads a declared object; nil when it is absent or wrong.
  public mutating func object<T>(_ key: ProfileKey, _ read: (inout ObjectReader) -> T) -> T? {
    optionalObject(key.name, isRequired: key.isRequired, read)
  }

  /// Reads a declared list of objects; nil when it is absent or wrong.
  public mutating func objects<T>(_ key: ProfileKey, _ read: (inout ObjectReader) -> T) -> [T]? {
    optionalObjects(key.name, isRequired: key.isRequired, read)
  }

  private mutating func fallback<T>(_ key: ProfileKey, _ convert: (JSONValue) -> T?) -> T? {
    has(key.name) ? nil : key.defaultValue.flatMap(convert)
  }
}

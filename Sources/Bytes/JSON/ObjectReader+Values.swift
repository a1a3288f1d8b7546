extension ObjectReader {
  /// Reads a required text.
  ///
  /// - Parameter characters: The permitted lengths; nil permits all.
  public mutating func text(_ key: String, characters: ClosedRange<Int>? = nil) -> String {
    readText(key, isRequired: true, characters) ?? ""
  }

  /// Reads a text; nil when it is absent or wrong.
  public mutating func optionalText(_ key: String, characters: ClosedRange<Int>? = nil) -> String? {
    readText(key, isRequired: false, characters)
  }

  /// Reads a text with a default value.
  public mutating func text(
    _ key: String, characters: ClosedRange<Int>? = nil, default defaultValue: String
  ) -> String {
    readText(key, isRequired: false, characters) ?? defaultValue
  }

  /// Reads a required whole number.
  public mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int {
    readInteger(key, isRequired: true, range) ?? range.lowerBound
  }

  /// Reads a whole number; nil when it is absent or wrong.
  public mutating func optionalInteger(_ key: String, in range: ClosedRange<Int>) -> Int? {
    readInteger(key, isRequired: false, range)
  }

  /// Reads a whole number with a default value.
  public mutating func integer(_ key: String, in range: ClosedRange<Int>, default defaultValue: Int) -> Int {
    readInteger(key, isRequired: false, range) ?? defaultValue
  }

  /// Reads a required `true` or `false`.
  public mutating func flag(_ key: String) -> Bool { readFlag(key, isRequired: true) ?? false }

  /// Reads `true` or `false`; nil when it is absent or wrong.
  public mutating func optionalFlag(_ key: String) -> Bool? { readFlag(key, isRequired: false) }

  /// Reads `true` or `false` with a default value.
  public mutating func flag(_ key: String, default defaultValue: Bool) -> Bool {
    readFlag(key, isRequired: false) ?? defaultValue
  }

  /// Reads a required text that is one of a list. Traps when the list is empty.
  ///
  /// - Parameter choices: The texts and what they stand for.
  public mutating func choice<T>(_ key: String, of choices: [(String, T)]) -> T {
    readChoice(key, isRequired: true, choices) ?? choices[0].1
  }

  /// Reads a text that is one of a list; nil when it is absent or wrong.
  public mutating func optionalChoice<T>(_ key: String, of choices: [(String, T)]) -> T? {
    readChoice(key, isRequired: false, choices)
  }

  /// Reads a required list of texts. Elements that are wrong are left out.
  public mutating func texts(_ key: String) -> [String] { readTexts(key, isRequired: true) ?? [] }

  /// Reads a list of texts; nil when it is absent or not a list. Elements that are wrong are left out.
  public mutating func optionalTexts(_ key: String) -> [String]? { readTexts(key, isRequired: false) }

  /// Reads a required list.
  ///
  /// - Parameter read: Takes an element, its place such as `aids[1]` for `note` and `refuse`, and this reader. Elements
  ///   for which it returns nil are left out.
  public mutating func list<T>(_ key: String, _ read: (JSONValue, String, inout ObjectReader) -> T?) -> [T] {
    readList(key, isRequired: true, read) ?? []
  }

  /// Reads a list; nil when it is absent or not a list. See `list(_:_:)`.
  public mutating func optionalList<T>(
    _ key: String, _ read: (JSONValue, String, inout ObjectReader) -> T?
  ) -> [T]? {
    readList(key, isRequired: false, read)
  }

  /// Reads a required object. Its unknown keys are reported when the closure returns.
  public mutating func object<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> T {
    readObject(key, isRequired: true, read) ?? substitute(at: key, read)
  }

  /// Reads an object; nil when it is absent or wrong. Its unknown keys are reported when the closure returns.
  public mutating func optionalObject<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> T? {
    readObject(key, isRequired: false, read)
  }

  /// Reads a required list of objects. An element of another kind is a problem and is read as a substitute, so that the
  /// result has as many elements as the list.
  public mutating func objects<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> [T] {
    readObjects(key, isRequired: true, read) ?? []
  }

  /// Reads a list of objects; nil when it is absent or not a list.
  public mutating func optionalObjects<T>(_ key: String, _ read: (inout ObjectReader) -> T) -> [T]? {
    readObjects(key, isRequired: false, read)
  }
}

extension ObjectReader {
  /// Reads a declared text or choice. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func text(_ key: ProfileKey) -> String? {
    if case .choice(let choices) = key.kind {
      return readChoice(key.name, isRequired: key.isRequired, choices.map { ($0, $0) })
        ?? fallback(key) { $0.text }
    }
    return readText(key.name, isRequired: key.isRequired, key.range) ?? fallback(key) { $0.text }
  }

  /// Reads a declared whole number. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func integer(_ key: ProfileKey) -> Int? {
    readInteger(key.name, isRequired: key.isRequired, key.range ?? Int.min...Int.max)
      ?? fallback(key) { $0.integer }
  }

  /// Reads a declared flag. Returns its default value, or nil, when it is absent; nil when it is wrong.
  public mutating func flag(_ key: ProfileKey) -> Bool? {
    readFlag(key.name, isRequired: key.isRequired) ?? fallback(key) { $0.flag }
  }

  /// Reads a declared object; nil when it is absent or wrong.
  public mutating func object<T>(_ key: ProfileKey, _ read: (inout ObjectReader) -> T) -> T? {
    readObject(key.name, isRequired: key.isRequired, read)
  }

  /// Reads a declared list of objects; nil when it is absent or wrong.
  public mutating func objects<T>(_ key: ProfileKey, _ read: (inout ObjectReader) -> T) -> [T]? {
    readObjects(key.name, isRequired: key.isRequired, read)
  }

  private mutating func fallback<T>(_ key: ProfileKey, _ convert: (JSONValue) -> T?) -> T? {
    has(key.name) ? nil : key.defaultValue.flatMap(convert)
  }
}

extension ObjectReader {
  private mutating func readText(_ key: String, isRequired: Bool, _ characters: ClosedRange<Int>?) -> String? {
    read(key, isRequired: isRequired, expected: "text") { value, reader in
      guard let text = value.text else { return nil }
      guard let characters, !characters.contains(text.count) else { return text }
      let (least, most) = (characters.lowerBound, characters.upperBound)
      let length = text.count == 1 ? "1 character" : "\(text.count) characters"
      reader.refuse(key, "\(length): \(least == most ? "\(least) are needed" : "the range is \(least)...\(most)")")
      return nil
    }
  }

  private mutating func readInteger(_ key: String, isRequired: Bool, _ range: ClosedRange<Int>) -> Int? {
    read(key, isRequired: isRequired, expected: "a whole number") { value, reader in
      guard let integer = value.integer else { return nil }
      if range.contains(integer) { return integer }
      reader.refuse(key, "\(integer): the range is \(range.lowerBound)...\(range.upperBound)")
      return nil
    }
  }

  private mutating func readFlag(_ key: String, isRequired: Bool) -> Bool? {
    read(key, isRequired: isRequired, expected: "true or false") { value, _ in value.flag }
  }

  private mutating func readChoice<T>(_ key: String, isRequired: Bool, _ choices: [(String, T)]) -> T? {
    precondition(!choices.isEmpty, "\(key): a choice needs at least one text")
    return read(key, isRequired: isRequired, expected: "text") { value, reader in
      guard let text = value.text else { return nil }
      if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
      let known = choices.map { $0.0 }.joined(separator: ", ")
      reader.refuse(key, "\"\(text.prefix(40))\" is not one of \(known)")
      return nil
    }
  }

  private mutating func readTexts(_ key: String, isRequired: Bool) -> [String]? {
    readList(key, isRequired: isRequired) { element, place, reader in
      if element.text == nil { reader.refuse(place, "text is needed, not \(element.kind)") }
      return element.text
    }
  }

  private mutating func readList<T>(
    _ key: String, isRequired: Bool, _ read: (JSONValue, String, inout ObjectReader) -> T?
  ) -> [T]? {
    self.read(key, isRequired: isRequired, expected: "a list") { value, reader in
      value.list?.enumerated().compactMap { index, element in read(element, "\(key)[\(index)]", &reader) }
    }
  }

  private mutating func readObject<T>(_ key: String, isRequired: Bool, _ read: (inout ObjectReader) -> T) -> T? {
    self.read(key, isRequired: isRequired, expected: "an object") { value, reader in
      value.members == nil ? nil : reader.nested(value, at: key, read)
    }
  }

  private mutating func readObjects<T>(_ key: String, isRequired: Bool, _ read: (inout ObjectReader) -> T) -> [T]? {
    readList(key, isRequired: isRequired) { element, place, reader in reader.nested(element, at: place, read) }
  }
}

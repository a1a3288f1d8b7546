internal import Documents
internal import JSON
internal import Octets

/// How the values of a scenario are read. Nothing stands in for a wrong value: the next one is read all the same, and the
/// scenario is refused at the end.
extension ObjectReader {
  /// Reads a text without control characters.
  mutating func line(_ key: String, _ counts: ClosedRange<Int> = 1...1000, isRequired: Bool = false) -> String? {
    read(key, isRequired: isRequired, expected: "text") { $1.line($0, at: key, counts) }
  }

  mutating func line(_ value: JSONValue, at place: String, _ counts: ClosedRange<Int> = 1...1000) -> String? {
    guard let text = scalar(value) else {
      refuse(value, at: place, needed: "text")
      return nil
    }
    guard counts.contains(text.count), !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" }) else {
      refuse(
        place, "a text of \(counts.lowerBound) to \(counts.upperBound) characters is needed, not one of \(text.count)")
      return nil
    }
    return text
  }

  mutating func flag(_ value: JSONValue, at place: String) -> Bool? {
    if value.flag == nil { refuse(value, at: place, needed: "true or false") }
    return value.flag
  }

  /// Reads bytes in hexadecimal; white space may stand between them.
  mutating func octets(_ key: String, _ counts: ClosedRange<Int> = 0...255) -> [UInt8]? {
    read(key, isRequired: false, expected: "text") { $1.octets($0, at: key, counts) }
  }

  mutating func octets(_ value: JSONValue, at place: String, _ counts: ClosedRange<Int> = 0...255) -> [UInt8]? {
    if let octets = scalar(value).flatMap({ try? [UInt8](hex: $0.filter { !$0.isWhitespace }) }),
      counts.contains(octets.count)
    {
      return octets
    }
    let (least, most) = (counts.lowerBound, counts.upperBound)
    refuse(
      place,
      "\(least == most ? "\(least)" : "\(least) to \(most)") bytes in hexadecimal are needed, not \(found(value))")
    return nil
  }

  /// Reads a value, or each of a list of values.
  ///
  /// - Parameter read: Takes a value, its place and this reader.
  mutating func each<Value>(
    _ key: String, isRequired: Bool = false, _ read: (JSONValue, String, inout ObjectReader) -> Value?
  ) -> [Value] {
    guard let value = value(key) else {
      if isRequired { refuse(key, "text is missing") }
      return []
    }
    return each(value, at: key, read)
  }

  mutating func each<Value>(
    _ value: JSONValue, at place: String, _ read: (JSONValue, String, inout ObjectReader) -> Value?
  ) -> [Value] {
    guard let list = value.list else { return read(value, place, &self).map { [$0] } ?? [] }
    if list.isEmpty { note(place, "the list is empty: leave the key out when nothing is expected") }
    return list.enumerated().compactMap { read($1, "\(place)[\($0)]", &self) }
  }

  /// Reads one of some names, whatever stands between their letters.
  mutating func named<Value>(_ key: String, of values: [(name: String, value: Value)]) -> Value? {
    value(key).flatMap { named($0, at: key, of: values) }
  }

  mutating func named<Value>(
    _ value: JSONValue, at place: String, of values: [(name: String, value: Value)]
  ) -> Value? {
    if let text = scalar(value), let found = values.first(where: { plain($0.name) == plain(text) }) {
      return found.value
    }
    var names: [String] = []
    for (name, _) in values where !names.contains(where: { plain($0) == plain(name) }) { names.append(name) }
    refuse(place, "\(found(value)) is not one of \(names.joined(separator: ", "))")
    return nil
  }

  /// Reads a value by its name in the file.
  mutating func named<Value: CaseIterable & RawRepresentable<String>>(_ key: String) -> Value? {
    value(key).flatMap { named($0, at: key) }
  }

  mutating func named<Value: CaseIterable & RawRepresentable<String>>(
    _ value: JSONValue, at place: String
  ) -> Value? {
    named(value, at: place, of: Value.allCases.map { ($0.rawValue, $0) })
  }

  /// Reads the members of a map whose keys are free, each with its place.
  mutating func pairs(_ key: String, of content: String) -> [(key: String, value: JSONValue, place: String)] {
    guard let value = value(key) else { return [] }
    guard let members = value.members else {
      refuse(value, at: key, needed: "a map of \(content)")
      return []
    }
    if members.isEmpty { note(key, "nothing is asked here: leave the key out") }
    return members.map { ($0.key, $0.value, "\(key).\($0.key)") }
  }

  /// Reads a map of expectations. One that asks nothing is a problem: everything would pass it.
  mutating func expected<Value>(
    _ key: String, isRequired: Bool = false, _ read: (inout ObjectReader) -> Value
  ) -> Value? {
    optionalObject(key, isRequired: isRequired) { reader in
      let value = read(&reader)
      reader.refuseEmpty("nothing is expected: at least one of")
      return value
    }
  }

  /// Notes that the object has none of the keys that it was asked for.
  ///
  /// - Parameter reason: The beginning of a sentence that the keys end.
  mutating func refuseEmpty(_ reason: String) {
    let keys = askedKeys
    if !keys.contains(where: { has($0) }) { note("", "\(reason) \(keys.joined(separator: ", "))") }
  }
}

public import JSON

/// Reads one JSON object key by key and notes every problem with its path and its place, so that one run reports all
/// of them.
///
/// ```swift
/// var reader = ObjectReader(try JSONValue(parsing: bytes))
/// let name = reader.text("name", characters: 1...40)
/// let limits = reader.objects("limits") { limit in
///   Limit(currency: limit.text("currency"), floor: limit.optionalText("floor"))
/// }
/// let problems = reader.finish()
/// guard problems.isEmpty else { throw ProfileError(problems) }
/// ```
///
/// Where a required value is missing or wrong, the reader notes the problem and returns a substitute: an empty text or
/// list, the least number, `false`, the first choice, an object read from nothing. Later checks of the caller therefore
/// run as usual; what they note about a substitute is dropped, so that one mistake is one problem. A key whose value is
/// `null` is absent. `finish()` reports the keys that were never asked for.
public struct ObjectReader {
  /// The path of the object, such as `$.applications[1]`. Empty for a document whose paths begin with a key.
  public let path: String
  /// The problems noted so far, those of nested objects included.
  public private(set) var problems: [DocumentProblem] = []
  /// The keys that were asked for, in their order.
  public private(set) var askedKeys: [String] = []

  let notation: DocumentNotation
  private let object: JSONValue
  private let values: [String: JSONValue]
  // Stands in for an object that is missing or wrong: it notes nothing.
  private let isSubstitute: Bool
  // Paths, relative to the object, of values that are missing or wrong.
  private var faultyPlaces: Set<String> = []
  private var acceptsUnknownKeys = false

  /// Creates a reader of a whole document or of a part of it. A value that is not an object is the first problem.
  ///
  /// - Parameters:
  ///   - path: The path of the value, the beginning of every path in the problems: `$` by convention, or empty.
  ///   - notation: The notation of the document.
  public init(_ value: JSONValue, at path: String = "$", in notation: DocumentNotation = .json) {
    self.init(value, at: path, notation, isSubstitute: value.members == nil)
    if isSubstitute {
      let reason = Reason.needed(notation.object, not: notation.found(value))
      problems = [DocumentProblem(path, at: value.position, reason)]
    }
  }

  private init(_ value: JSONValue, at path: String, _ notation: DocumentNotation, isSubstitute: Bool) {
    self.path = path
    self.notation = notation
    self.isSubstitute = isSubstitute
    object = value
    values = Dictionary(value.members?.map { ($0.key, $0.value) } ?? []) { first, _ in first }
  }

  /// Notes a problem.
  ///
  /// - Parameters:
  ///   - place: A key of the object, or a path below it such as `aids[1]` or `limits[0].floor`; empty for the object
  ///     itself. A problem of a substitute is dropped.
  ///   - reason: The value found and the limit. Never card data.
  public mutating func note(_ place: String, _ reason: String) {
    guard !isSubstitute, !isFaulty(place) else { return }
    problems.append(DocumentProblem(joined(path, place), at: position(of: place), reason))
  }

  /// Whether the object has a key with another value than `null`. The key counts as asked for.
  public mutating func has(_ key: String) -> Bool { value(key) != nil }

  /// The value of a key as it is, or nil when it is absent or, in JSON, `null`. The key counts as asked for.
  public mutating func value(_ key: String) -> JSONValue? {
    if !askedKeys.contains(key) { askedKeys.append(key) }
    guard let value = values[key], !(notation == .json && value.isNull) else { return nil }
    return value
  }

  /// All members of the object, for an object whose keys are free. All keys count as asked for.
  public mutating func members() -> [JSONValue.Member] {
    acceptsUnknownKeys = true
    return object.members ?? []
  }

  /// Stops `finish()` from reporting unknown keys of this object: for an object whose kind, and so whose set of keys,
  /// is itself wrong.
  public mutating func acceptUnknownKeys() { acceptsUnknownKeys = true }

  /// Reports the keys that were never asked for and returns all problems, in the order of the document.
  public consuming func finish() -> [DocumentProblem] {
    if !acceptsUnknownKeys, !isSubstitute {
      for member in object.members ?? [] where !askedKeys.contains(member.key) {
        let reason = Reason.unknown(member.key, among: askedKeys)
        problems.append(DocumentProblem(joined(path, member.key), at: member.position, reason))
      }
    }
    return problems.sorted { $0.position < $1.position }
  }

  /// Reads a value that the other functions do not know: the base of them all.
  ///
  /// - Parameters:
  ///   - isRequired: Whether a missing value is a problem.
  ///   - expected: The kind of the value in words, such as `text`.
  ///   - convert: Returns nil for a value of another kind, or after it has called `refuse`.
  /// - Returns: Nil when the value is absent or wrong.
  public mutating func read<T>(
    _ key: String, isRequired: Bool, expected: String, _ convert: (JSONValue, inout ObjectReader) -> T?
  ) -> T? {
    guard let value = value(key) else {
      if isRequired { refuse(key, Reason.missing(expected)) }
      return nil
    }
    let result = convert(value, &self)
    if result == nil, !isFaulty(key) { refuse(value, at: key, needed: expected) }
    return result
  }

  /// Notes a problem of a value for which the caller takes a substitute: later notes at its place are dropped.
  ///
  /// - Parameters:
  ///   - place: A key of the object, or a path below it, as for `note`.
  ///   - reason: The value found and the limit. Never card data.
  public mutating func refuse(_ place: String, _ reason: String) {
    note(place, reason)
    faultyPlaces.insert(place)
  }

  /// Notes that a value is of another kind than the one needed. See `refuse(_:_:)`.
  public mutating func refuse(_ value: JSONValue, at place: String, needed expected: String) {
    refuse(place, Reason.needed(expected, not: notation.found(value)))
  }

  /// Reads a nested object at a place below this one and takes over its problems.
  public mutating func object<T>(_ value: JSONValue, at place: String, _ read: (inout ObjectReader) -> T) -> T {
    var reader = ObjectReader(value, at: joined(path, place), in: notation)
    if reader.isSubstitute { faultyPlaces.insert(place) }
    let result = read(&reader)
    let found = reader.finish()
    if !isSubstitute { problems += found }
    return result
  }

  /// What an object reads when it is missing or wrong.
  mutating func substitute<T>(at place: String, _ read: (inout ObjectReader) -> T) -> T {
    var reader = ObjectReader(JSONValue(.object([])), at: joined(path, place), notation, isSubstitute: true)
    return read(&reader)
  }

  private func joined(_ path: String, _ place: String) -> String {
    path.isEmpty || place.isEmpty ? path + place : path + "." + place
  }

  // Whether a place is faulty, or is within a faulty one. A document may have very many problems.
  private func isFaulty(_ place: String) -> Bool {
    guard !faultyPlaces.isEmpty else { return false }
    return faultyPlaces.contains(place)
      || place.indices.contains { [".", "["].contains(place[$0]) && faultyPlaces.contains(String(place[..<$0])) }
  }

  // That of the deepest value that the text has on the way to a place.
  private func position(of place: String) -> JSONPosition {
    if let value = values[place] { return value.position }
    var (value, rest) = (object, place[...])
    while let (next, left) = value.step(along: rest) { (value, rest) = (next, left) }
    return value.position
  }
}

extension JSONValue {
  /// The value within this one with which a path begins, and the rest of the path. Keys may have points in them.
  fileprivate func step(along path: Substring) -> (JSONValue, Substring)? {
    if let list, path.first == "[", let end = path.firstIndex(of: "]") {
      guard let index = Int(path[..<end].dropFirst()), list.indices.contains(index) else { return nil }
      return (list[index], path[end...].dropFirst())
    }
    let path = path.first == "." ? path.dropFirst() : path
    // The usual case, and the one of an object with very many keys.
    if let member = members?.first(where: { $0.key == path }) { return (member.value, "") }
    let fitting = (members ?? []).filter { member in
      path.hasPrefix(member.key) && [nil, ".", "["].contains(path.dropFirst(member.key.count).first)
    }
    return fitting.max { $0.key.count < $1.key.count }.map { ($0.value, path.dropFirst($0.key.count)) }
  }
}

internal import JSON

/// Declared keys as a table for people: one row for each key, those of nested objects included.
public struct ProfileKeyTable: Hashable, Sendable {
  /// One key.
  public struct Row: Hashable, Sendable {
    /// The place of the key: `applications[].cryptogram.version`.
    public let path: String
    /// The condition under which the object has the key, such as `kernel 3`, or nil.
    public let condition: String?
    /// The kind of the value in words.
    public let type: String
    /// The permitted values or lengths in words; empty when there is no limit.
    public let limits: String
    /// The declaration.
    public let key: ProfileKey

    /// `required`, the default value as JSON, or an empty text.
    public var presence: String { key.isRequired ? "required" : key.defaultValue?.compact ?? "" }
  }

  /// The rows, in the order of the declarations.
  public let rows: [Row]

  /// Creates the table of a document with these keys.
  public init(_ keys: [ProfileKey]) { rows = Self.rows(keys, under: "", nil) }

  /// Creates the table of a document of several forms. A key that several forms have in the same way is written once.
  public init(_ shapes: [ProfileKey.Shape]) {
    let every =
      shapes.first.map { first in
        first.keys.filter { key in shapes.allSatisfy { $0.keys.contains(key) } }
      } ?? []
    let others = shapes.map { shape in Self.rows(shape.keys.filter { !every.contains($0) }, under: "", shape.name) }
    rows = Self.rows(every, under: "", nil) + Self.merged(others, joinedBy: "; ")
  }

  /// The table as lines of text: for each key its place with its facts, and what it means.
  public var lines: [String] {
    rows.flatMap { row -> [String] in
      let facts = [
        row.type, row.limits,
        row.key.isRequired ? "required" : row.key.defaultValue.map { "default \($0.compact)" } ?? "optional",
      ]
      let meaning = (row.condition.map { "\($0): " } ?? "") + row.key.help + (row.key.source.map { " (\($0))" } ?? "")
      return ["\(row.path): " + facts.filter { !$0.isEmpty }.joined(separator: ", "), "  " + meaning]
    }
  }

  /// The table in Markdown, without a line feed at its end.
  public var markdown: String {
    let lines = rows.map { row -> String in
      let cells = [
        "`\(row.path)`", row.type, row.limits,
        row.key.defaultValue == nil ? row.presence : "`\(row.presence)`",
        (row.condition.map { "\($0): " } ?? "") + row.key.help,
        row.key.source ?? "",
      ]
      return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
    return (["| key | type | range | default | meaning | book |", "|---|---|---|---|---|---|"] + lines)
      .joined(separator: "\n")
  }

  private static func rows(_ keys: [ProfileKey], under path: String, _ condition: String?) -> [Row] {
    keys.flatMap { key -> [Row] in
      let place = path.isEmpty ? key.name : "\(path).\(key.name)"
      let row = Row(
        path: place, condition: condition, type: words(key.kind), limits: limits(key.kind, key.range), key: key)
      return [row] + nested(key.kind, place, condition)
    }
  }

  private static func nested(_ kind: ProfileKey.Kind, _ path: String, _ condition: String?) -> [Row] {
    switch kind {
    case .list(let element, _): return nested(element, path + "[]", condition)
    case .wordOr(_, let other): return nested(other, path, condition)
    case .either(let first, let second): return nested(first, path, condition) + nested(second, path, condition)
    case .oneOrList(let element): return nested(element, path, condition)
    case .map(let element): return nested(element, path + ".*", condition)
    case .object(let keys): return rows(keys, under: path, condition)
    case .selected(let keys, let name, let variants):
      return rows(keys, under: path, condition)
        + merged(variants.map { rows($0.keys, under: path, "\(name) \($0.value.text ?? $0.value.compact)") })
    default: return []
    }
  }

  /// The rows of variants; a row that several have in the same way is written once.
  private static func merged(_ variants: [[Row]], joinedBy separator: String? = nil) -> [Row] {
    var found: [Row] = []
    for row in variants.flatMap(\.self) {
      guard let index = found.firstIndex(where: { $0.path == row.path && $0.key == row.key }) else {
        found.append(row)
        continue
      }
      let first = found[index]
      let value = separator == nil ? row.condition?.split(separator: " ").last.map(String.init) : row.condition
      found[index] = Row(
        path: first.path, condition: first.condition.map { $0 + (separator ?? ", ") + (value ?? "") }, type: first.type,
        limits: first.limits, key: first.key)
    }
    return found
  }

  private static func words(_ kind: ProfileKey.Kind) -> String {
    switch kind {
    case .text: "text"
    case .octets: "hexadecimal"
    case .digits: "digits"
    case .amount: "amount"
    case .dataObject: "data object"
    case .choice: "choice"
    case .integer: "whole number"
    case .flag: "true or false"
    case .list(let element, _): "list of " + words(element)
    case .url: "https URL"
    case .decimal: "number"
    case .any: "any value"
    case .either(let first, let second): "\(words(first)) or \(words(second))"
    case .oneOrList(let element): "\(words(element)), or a list"
    case .map(let element): "map of " + words(element)
    case .wordOr(let word, let other): "`\(word)` or " + words(other)
    case .document(let name, _): name
    case .object, .selected: "object"
    }
  }

  private static func limits(_ kind: ProfileKey.Kind, _ range: ClosedRange<Int>?) -> String {
    if case .choice(let choices) = kind { return choices.map { "`\($0)`" }.joined(separator: ", ") }
    if case .wordOr(_, let other) = kind { return limits(other, range) }
    if case .oneOrList(let element) = kind { return limits(element, range) }
    if case .either(let first, let second) = kind {
      let own = limits(first, range)
      return own.isEmpty ? limits(second, range) : own
    }
    if case .list(let element, let each?) = kind {
      return [counted(range, "values"), "each \(limits(element, each))"].compactMap(\.self).joined(separator: ", ")
    }
    return counted(range, unit(kind)) ?? ""
  }

  private static func unit(_ kind: ProfileKey.Kind) -> String? {
    switch kind {
    case .text, .url: "characters"
    case .octets: "bytes"
    case .digits: "digits"
    case .list: "values"
    case .map, .object: "keys"
    default: nil
    }
  }

  private static func counted(_ range: ClosedRange<Int>?, _ unit: String?) -> String? {
    guard let range else { return nil }
    let (least, most) = (range.lowerBound, range.upperBound)
    let numbers = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least)...\(most)"
    let isOne = least == 1 && (most == 1 || most == .max)
    return numbers + (unit.map { " " + (isOne ? String($0.dropLast()) : $0) } ?? "")
  }
}

public import JSON

extension ProfileKey {
  /// The JSON Schema (draft 7, which editors know best) of a document with these keys.
  ///
  /// It permits what the reader of the keys permits, but for two differences: it refuses `null`, which readers take for
  /// an absent value, and it cannot check rules between several values and the forms of texts that only the reader knows.
  ///
  /// - Parameter title: What the document is, such as `Card profile`.
  public static func schema(of keys: [ProfileKey], title: String) -> JSONValue {
    document(SchemaWriter(.json).object(keys), title: title)
  }

  /// The JSON Schema of a document of several forms, in YAML or JSON: a text may then be written as a number.
  ///
  /// - Parameters:
  ///   - shapes: The forms in the order in which their conditions are checked, the last one without a condition.
  ///   - title: What the document is, such as `Scenario`.
  public static func schema(of shapes: [Shape], title: String) -> JSONValue {
    document(SchemaWriter(.yaml).shapes(shapes), title: title)
  }

  private static func document(_ schema: JSONValue, title: String) -> JSONValue {
    let head: [JSONValue.Member] = [
      .init("$schema", "http://json-schema.org/draft-07/schema#"), .init("title", JSONValue(title)),
    ]
    return JSONValue(.object(head + (schema.members ?? [])))
  }
}

/// Writes the schemas of the values of keys.
private struct SchemaWriter {
  private let notation: DocumentNotation

  init(_ notation: DocumentNotation) { self.notation = notation }

  /// The first form whose condition is met.
  func shapes(_ shapes: [ProfileKey.Shape]) -> JSONValue {
    guard let shape = shapes.first else { return false }
    let condition: JSONValue
    switch shape.condition {
    case .otherwise: return object(shape.keys)
    case .present(let key): condition = JSONValue(members: [("required", JSONValue([JSONValue(key)]))])
    case .value(let key, let value): condition = Self.condition(key, value)
    }
    return JSONValue(members: [
      ("if", condition), ("then", object(shape.keys)), ("else", self.shapes(Array(shapes.dropFirst()))),
    ])
  }

  /// The schema of the value of a key.
  private func schema(_ key: ProfileKey) -> JSONValue {
    let sentences = [key.help, key.source.map { "(\($0))" }].compactMap(\.self)
    return JSONValue(
      .object(
        (schema(key.kind, key.range).members ?? []) + [
          .init("description", JSONValue(sentences.joined(separator: " ")))
        ]
          + (key.defaultValue.map { [.init("default", $0)] } ?? [])))
  }

  /// The schema of an object.
  func object(_ keys: [ProfileKey], least: Int? = nil) -> JSONValue {
    let names = keys.filter(\.isRequired).map { JSONValue($0.name) }
    let required = names.isEmpty ? Optional.none : JSONValue(names)
    return JSONValue(members: [
      ("type", "object"), ("properties", properties(keys)), ("required", required),
      ("additionalProperties", false),
      ("minProperties", least.flatMap { $0 > 0 ? .some(JSONValue($0)) : Optional.none }),
    ])
  }

  private func properties(_ keys: [ProfileKey]) -> JSONValue {
    JSONValue(members: keys.map { ($0.name, Optional(schema($0))) })
  }

  private func schema(_ kind: ProfileKey.Kind, _ range: ClosedRange<Int>?) -> JSONValue {
    let limits = (range?.lowerBound, range.flatMap { $0.upperBound == .max ? nil : $0.upperBound })
    switch kind {
    case .text: return limited(textType, "Length", limits)
    case .octets: return text("^( *[0-9A-Fa-f]{2})\(count(range)) *$")
    case .digits: return text("^[0-9]\(count(range))$")
    case .amount: return text("^[0-9]+([.][0-9]+)?$")
    case .dataObject: return text("^([0-9A-Fa-f]{2}){1,3} ( *[0-9A-Fa-f]{2})* *$")
    case .url:
      let pattern = JSONValue.Member("pattern", "^https://.*[^/]$")
      return JSONValue(.object((limited(textType, "Length", limits).members ?? []) + [pattern]))
    case .wordOr(let word, let other):
      return either(JSONValue(members: [("const", JSONValue(word))]), schema(other, range))
    case .either(let first, let second): return either(schema(first, range), schema(second, range))
    case .oneOrList(let element):
      let list = limited("array", "Items", (1, nil)).members ?? []
      return either(schema(element, range), JSONValue(.object(list + [.init("items", schema(element, range))])))
    case .map(let element):
      let map = limited("object", "Properties", limits).members ?? []
      return JSONValue(.object(map + [.init("additionalProperties", schema(element, nil))]))
    case .any: return JSONValue(members: [])
    case .decimal:
      return JSONValue(members: [("type", "number"), ("exclusiveMinimum", JSONValue(0))])
    case .document(_, let file): return JSONValue(members: [("$ref", JSONValue(file))])
    case .choice(let choices): return JSONValue(members: [("enum", JSONValue(choices.map { JSONValue($0) }))])
    case .integer:
      return JSONValue(members: [
        ("type", "integer"), ("minimum", limits.0.map { JSONValue($0) }), ("maximum", limits.1.map { JSONValue($0) }),
      ])
    case .flag: return JSONValue(members: [("type", "boolean")])
    case .list(let element, let each):
      let list = limited("array", "Items", limits).members ?? []
      return JSONValue(.object(list + [.init("items", schema(element, each))]))
    case .object(let keys): return object(keys, least: limits.0)
    case .selected(let keys, let name, let variants): return selected(keys, name, variants)
    }
  }

  /// The types of a text. In YAML `978` is a number, and a text for its reader.
  private var textType: JSONValue { notation == .json ? "string" : ["string", "number"] }

  private func text(_ pattern: String) -> JSONValue {
    JSONValue(members: [("type", textType), ("pattern", JSONValue(pattern))])
  }

  private func either(_ first: JSONValue, _ second: JSONValue) -> JSONValue {
    JSONValue(members: [("anyOf", JSONValue([first, second]))])
  }

  private func limited(_ type: JSONValue, _ unit: String, _ limits: (least: Int?, most: Int?)) -> JSONValue {
    JSONValue(members: [
      ("type", type), ("min\(unit)", limits.least.map { JSONValue($0) }),
      ("max\(unit)", limits.most.map { JSONValue($0) }),
    ])
  }

  /// How often a group of a regular expression occurs.
  private func count(_ range: ClosedRange<Int>?) -> String {
    guard let range else { return "*" }
    if range.upperBound == .max { return "{\(range.lowerBound),}" }
    return range.count == 1 ? "{\(range.lowerBound)}" : "{\(range.lowerBound),\(range.upperBound)}"
  }

  /// One condition for each variant: an editor then reports the problems of the variant that is meant.
  private func selected(
    _ keys: [ProfileKey], _ name: String, _ variants: [ProfileKey.Variant]
  ) -> JSONValue {
    let conditions = variants.map { variant in
      JSONValue(members: [("if", Self.condition(name, variant.value)), ("then", object(keys + variant.keys))])
    }
    let known = JSONValue(members: [("enum", JSONValue(variants.map(\.value)))])
    return JSONValue(members: [
      ("type", "object"), ("properties", JSONValue(members: [(name, known)])),
      ("required", JSONValue([JSONValue(name)])), ("allOf", JSONValue(conditions)),
    ])
  }

  /// The condition that a key has a value.
  private static func condition(_ key: String, _ value: JSONValue) -> JSONValue {
    let constant = JSONValue(members: [(key, JSONValue(members: [("const", value)]))])
    return JSONValue(members: [("properties", constant), ("required", JSONValue([JSONValue(key)]))])
  }
}

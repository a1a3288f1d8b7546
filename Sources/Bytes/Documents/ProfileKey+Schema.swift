public import JSON

extension ProfileKey {
  /// The JSON Schema (draft 7, which editors know best) of a document with these keys.
  ///
  /// It permits what the reader of the keys permits, but for two differences: it refuses `null`, which readers take for
  /// an absent value, and it cannot check rules between several values and the forms of texts that only the reader knows.
  ///
  /// - Parameter title: What the document is, such as `Card profile`.
  public static func schema(of keys: [ProfileKey], title: String) -> JSONValue {
    let head: [JSONValue.Member] = [
      .init("$schema", "http://json-schema.org/draft-07/schema#"), .init("title", JSONValue(title)),
    ]
    return JSONValue(.object(head + (object(keys).members ?? [])))
  }

  /// The schema of the key's value.
  private var schema: JSONValue {
    let sentences = [help, source.map { "(\($0))" }].compactMap(\.self)
    return JSONValue(
      .object(
        (Self.schema(kind, range).members ?? []) + [.init("description", JSONValue(sentences.joined(separator: " ")))]
          + (defaultValue.map { [.init("default", $0)] } ?? [])))
  }

  private static func object(_ keys: [ProfileKey]) -> JSONValue {
    let names = keys.filter(\.isRequired).map { JSONValue($0.name) }
    let required = names.isEmpty ? Optional.none : JSONValue(names)
    return JSONValue(members: [
      ("type", "object"), ("properties", properties(keys)), ("required", required),
      ("additionalProperties", false),
    ])
  }

  private static func properties(_ keys: [ProfileKey]) -> JSONValue {
    JSONValue(members: keys.map { ($0.name, Optional($0.schema)) })
  }

  private static func schema(_ kind: Kind, _ range: ClosedRange<Int>?) -> JSONValue {
    let limits = (range?.lowerBound, range.flatMap { $0.upperBound == .max ? nil : $0.upperBound })
    switch kind {
    case .text: return limited("string", "Length", limits)
    case .octets: return text("^( *[0-9A-Fa-f]{2})\(count(range)) *$")
    case .digits: return text("^[0-9]\(count(range))$")
    case .amount: return text("^[0-9]+([.][0-9]+)?$")
    case .dataObject: return text("^([0-9A-Fa-f]{2}){1,3} ( *[0-9A-Fa-f]{2})* *$")
    case .url:
      let pattern = JSONValue.Member("pattern", "^https://.*[^/]$")
      return JSONValue(.object((limited("string", "Length", limits).members ?? []) + [pattern]))
    case .wordOr(let word, let other):
      return JSONValue(members: [
        ("anyOf", JSONValue([JSONValue(members: [("const", JSONValue(word))]), schema(other, range)]))
      ])
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
    case .object(let keys): return object(keys)
    case .selected(let keys, let name, let variants): return selected(keys, name, variants)
    }
  }

  private static func text(_ pattern: String) -> JSONValue {
    JSONValue(members: [("type", "string"), ("pattern", JSONValue(pattern))])
  }

  private static func limited(_ type: String, _ unit: String, _ limits: (least: Int?, most: Int?)) -> JSONValue {
    JSONValue(members: [
      ("type", JSONValue(type)), ("min\(unit)", limits.least.map { JSONValue($0) }),
      ("max\(unit)", limits.most.map { JSONValue($0) }),
    ])
  }

  /// How often a group of a regular expression occurs.
  private static func count(_ range: ClosedRange<Int>?) -> String {
    guard let range else { return "*" }
    if range.upperBound == .max { return "{\(range.lowerBound),}" }
    return range.count == 1 ? "{\(range.lowerBound)}" : "{\(range.lowerBound),\(range.upperBound)}"
  }

  /// One condition for each variant: an editor then reports the problems of the variant that is meant.
  private static func selected(_ keys: [ProfileKey], _ name: String, _ variants: [Variant]) -> JSONValue {
    let conditions = variants.map { variant -> JSONValue in
      let value = JSONValue(members: [(name, JSONValue(members: [("const", variant.value)]))])
      let condition = JSONValue(members: [("properties", value), ("required", JSONValue([JSONValue(name)]))])
      return JSONValue(members: [("if", condition), ("then", object(keys + variant.keys))])
    }
    let known = JSONValue(members: [("enum", JSONValue(variants.map(\.value)))])
    return JSONValue(members: [
      ("type", "object"), ("properties", JSONValue(members: [(name, known)])),
      ("required", JSONValue([JSONValue(name)])), ("allOf", JSONValue(conditions)),
    ])
  }
}

import Documents
import JSON
import Testing

/// The objects of a document with the keys that are declared for each, in the order of the document.
struct DeclaredKeys {
  /// An object of a document.
  struct Place {
    /// Its path, such as `applications[0].cryptogram`; empty for the document.
    let path: String
    /// The keys that are declared for it.
    let keys: [ProfileKey]
  }

  private(set) var places: [Place] = []

  init(_ keys: [ProfileKey], of document: JSONValue) { visit(.object(keys), document, "") }

  private mutating func visit(_ kind: ProfileKey.Kind, _ value: JSONValue, _ path: String) {
    switch kind {
    case .list(let element, _):
      for (index, value) in (value.list ?? []).enumerated() { visit(element, value, "\(path)[\(index)]") }
    case .oneOrList(let element):
      guard let list = value.list else { return visit(element, value, path) }
      for (index, value) in list.enumerated() { visit(element, value, "\(path)[\(index)]") }
    case .either(let first, let second):
      visit(first, value, path)
      visit(second, value, path)
    case .map(let element):
      // A point in a key is none between two.
      for member in value.members ?? [] where !member.key.contains(".") {
        visit(element, member.value, "\(path).\(member.key)")
      }
    case .object where value.members == nil: break
    case .object(let keys): visit(keys, value, path)
    case .selected(let keys, let name, let variants):
      visit(keys + (variants.first { $0.value == value[name] }?.keys ?? []), value, path)
    default: break
    }
  }

  private mutating func visit(_ keys: [ProfileKey], _ value: JSONValue, _ path: String) {
    places.append(Place(path: path, keys: keys))
    for key in keys {
      if let member = value[key.name] { visit(key.kind, member, path.isEmpty ? key.name : "\(path).\(key.name)") }
    }
  }
}

extension ProfileKey {
  /// A value of another kind than the declared one.
  var wrongValue: JSONValue {
    switch kind {
    case .integer, .flag, .list, .object, .selected: "text"
    case .map, .decimal: "text"
    case .text, .octets, .digits, .amount, .dataObject, .choice, .url, .wordOr, .document: 1
    case .any, .either, .oneOrList: JSONValue(.null)
    }
  }

  /// Values just outside the declared range.
  var valuesOutside: [JSONValue] {
    guard let range else { return [] }
    let least = range.lowerBound == 0 && kind != .integer ? [] : [range.lowerBound - 1]
    let counts = least + (range.upperBound == .max ? [] : [range.upperBound + 1])
    switch kind {
    case .integer: return counts.map { JSONValue($0) }
    case .text: return counts.map { JSONValue(String(repeating: "A", count: $0)) }
    case .digits: return counts.map { JSONValue(String(repeating: "1", count: $0)) }
    case .octets: return counts.map { JSONValue(String(repeating: "01", count: $0)) }
    case .list: return least == [0] ? [[]] : []
    default: return []
    }
  }
}

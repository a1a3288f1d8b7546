public import Documents
internal import EMVDecoding
internal import ISO7816
public import JSON
internal import Octets

/// A terminal profile in words: every key with its value, and the default values of those that are left out.
public struct TerminalText {
  private let profile: JSONValue
  private let keys: [ProfileKey]

  /// Describes a profile.
  ///
  /// - Parameters:
  ///   - profile: The profile, which was checked before.
  ///   - keys: The declared keys.
  public init(_ profile: JSONValue, keys: [ProfileKey] = ProfileKind.terminal.keys) {
    (self.profile, self.keys) = (profile, keys)
  }

  /// The tags of keys whose values have a meaning bit by bit.
  private static let tags: [String: Tag] = [
    "countryCode": 0x9F1A, "terminalType": 0x9F35, "capabilities": 0x9F33, "additionalCapabilities": 0x9F40,
    "qualifiers": 0x9F66, "categoryCode": 0x9F15,
  ]

  /// The lines, indented.
  public var lines: [String] { lines(keys, of: profile, indentation: "") }

  private func lines(_ keys: [ProfileKey], of object: JSONValue, indentation: String) -> [String] {
    keys.flatMap { key -> [String] in
      guard let value = object[key.name], !value.isNull else {
        return key.defaultValue.map { ["\(indentation)\(key.name): \($0.plain) (default)"] } ?? []
      }
      return lines(key, value, indentation)
    }
  }

  private func lines(_ key: ProfileKey, _ value: JSONValue, _ indentation: String) -> [String] {
    let deeper = indentation + "  "
    switch key.kind {
    case .object(let keys): return ["\(indentation)\(key.name):"] + lines(keys, of: value, indentation: deeper)
    case .list(.object(let keys), _):
      let rows = (value.list ?? []).map { entry in
        keys.compactMap { key in entry[key.name].map { "\(key.name) \($0.plain)" } }.joined(separator: ", ")
      }
      return ["\(indentation)\(key.name):"] + rows.map { deeper + $0 }
    case .list(.selected(let keys, let name, let variants), _):
      return (value.list ?? []).flatMap { entry -> [String] in
        let own = variants.first { $0.value == entry[name] }?.keys ?? []
        return ["", "\(indentation)application:"] + lines(keys + own, of: entry, indentation: deeper)
      }
    default:
      let details = self.details(key.name, value)
      return ["\(indentation)\(key.name): \(value.plain)"] + details.map { deeper + $0 }
    }
  }

  private func details(_ name: String, _ value: JSONValue) -> [String] {
    guard let tag = Self.tags[name], let text = value.text,
      let octets = try? [UInt8](hex: text.utf8.count % 2 == 0 ? text : "0" + text)
    else { return [] }
    return DecodedNode(dataObjects: [TLVNode(tag, octets)].encoded).children.flatMap { $0.lines }
  }
}

extension JSONValue {
  /// The value as people read it: text without quotation marks, a list with commas.
  fileprivate var plain: String {
    if let text { return text.isEmpty ? "empty" : text }
    return list.map { $0.map(\.plain).joined(separator: ", ") } ?? compact
  }
}

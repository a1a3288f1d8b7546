internal import Octets

/// An element of XML 1.0 with either children or text. The only place where text is escaped.
struct XMLElement: Sendable {
  private let name: String
  private let attributes: [(String, String)]
  private let children: [XMLElement]
  private let text: String?

  init(_ name: String, _ attributes: [(String, String)], _ children: [XMLElement] = [], text: String? = nil) {
    self.name = name
    self.attributes = attributes
    self.children = children
    self.text = text
  }

  /// The lines of the element, two spaces deeper for each level.
  func lines(_ margin: String = "") -> [String] {
    let head = margin + "<" + name + attributes.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
    if let text { return ["\(head)>\(Self.escaped(text))</\(name)>"] }
    guard !children.isEmpty else { return [head + "/>"] }
    return [head + ">"] + children.flatMap { $0.lines(margin + "  ") } + ["\(margin)</\(name)>"]
  }

  /// The text with references. Characters that are not visible, which XML 1.0 mostly does not allow (section 2.2), become
  /// visible escapes.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.visible(keeping: "\t\n").unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\t": escaped += "&#\(scalar.value);"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// HTML text. A literal is taken as it is. An interpolated text is escaped, so that it can stand between tags and in a
/// quoted value of an attribute; interpolated HTML is not escaped again.
struct HTML: ExpressibleByStringInterpolation, Sendable {
  /// The text for the client.
  let text: String

  init(stringLiteral value: StringLiteralType) { text = value }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: StringLiteralType) { text += literal }

    mutating func appendInterpolation(_ text: String) {
      for character in text.unicodeScalars { self.text += Self.escaped(character) }
    }

    mutating func appendInterpolation(_ number: Int) { text += String(number) }

    mutating func appendInterpolation(_ html: HTML) { text += html.text }

    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

    private static func escaped(_ character: Unicode.Scalar) -> String {
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: String(character)
      }
    }
  }

  /// Nothing.
  static let empty: HTML = ""
}

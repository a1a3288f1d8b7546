internal import Octets

/// HTML text that is safe by construction: only literals of the source are taken as they are. An interpolated text is
/// escaped, so that it can stand between tags and in a quoted value of an attribute. Interpolated HTML is not escaped
/// again.
public struct HTML: ExpressibleByStringInterpolation, Sendable {
  /// The text for the browser.
  public let text: String

  /// Creates HTML from a literal. Text of a program's input is no `StaticString` and cannot become HTML this way.
  public init(stringLiteral value: StaticString) { text = value.description }

  /// Creates HTML from a literal with interpolations.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Nothing.
  public static let empty: HTML = ""

  /// Collects the parts of a literal with interpolations.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Reserves room for the literal parts.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Adds a part of the literal as it is.
    public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    /// Adds a text, escaped. Characters that are not visible become visible escapes.
    public mutating func appendInterpolation(_ text: String) {
      for character in text.visible(keeping: "\t\n").unicodeScalars { self.text += Self.escaped(character) }
    }

    /// Adds a number in decimal digits.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }

    /// Adds HTML as it is.
    public mutating func appendInterpolation(_ html: HTML) { text += html.text }

    /// Adds parts of HTML as they are, one after the other.
    public mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

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
}

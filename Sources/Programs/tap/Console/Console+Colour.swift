import CardExploration
import Foundation
import ISO7816
import Octets

extension Console {
  /// A colour of a terminal (ECMA-48, 8.3.117).
  enum Colour: Int {
    case red = 31
    case green = 32
    case yellow = 33
  }

  /// Text in a colour, when standard output is a terminal and the user did not set `NO_COLOR`.
  static func coloured(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A line whose characters that would control the terminal are visible. Colours of this program stay.
  static func visible(_ line: String) -> String {
    let visible = line.visible(keeping: "\t")
    guard isColoured else { return visible }
    return ["1;31", "1;32", "1;33", "0"].reduce(visible) {
      $0.replacing("\\u{1B}[\($1)m", with: "\u{1B}[\($1)m")
    }
  }

  /// The status word at the end of a response: green for 9000, yellow for a warning, red for a refusal.
  ///
  /// - Parameter missing: The text for a response that never came.
  static func status(of response: [UInt8]?, missing: String) -> String {
    guard let response, let parsed = try? ResponseAPDU(parsing: response.span) else { return coloured(missing, .red) }
    let colour: Colour = parsed.status.rawValue == 0x9000 ? .green : parsed.status.isRefusal ? .red : .yellow
    return coloured("\(parsed.status)", colour)
  }

  /// A line of decoded octets: faults are red, and a status word has its colour.
  static func decoded(_ line: String) -> String {
    let words = line.drop { $0 == " " }
    if words.hasPrefix("malformed: ") || words.hasPrefix("cut off: ") { return coloured(line, .red) }
    guard words.hasPrefix("SW: "), let octets = try? [UInt8](hex: String(words.dropFirst(4).prefix(4))) else {
      return line
    }
    return line.prefix(line.count - words.count) + "SW: " + status(of: octets, missing: "") + words.dropFirst(8)
  }

  private static let isColoured: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isatty(STDOUT_FILENO) == 1 && !isRefused && environment["TERM"] != "dumb"
  }()
}

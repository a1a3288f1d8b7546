import Foundation

extension Console {
  /// A colour of a terminal (ECMA-48, 8.3.117).
  enum Colour: Int {
    case red = 31
    case green = 32
  }

  /// Text in a colour, when standard output is a terminal and the user did not set `NO_COLOR`.
  static func coloured(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  private static let isColoured: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isatty(STDOUT_FILENO) == 1 && !isRefused && environment["TERM"] != "dumb"
  }()
}

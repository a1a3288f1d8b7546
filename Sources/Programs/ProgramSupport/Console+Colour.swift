internal import Foundation
internal import Octets

extension Console {
  /// A colour of a terminal (ECMA-48, 8.3.117).
  public enum Colour: Int {
    /// A refusal or fault.
    case red = 31
    /// A success.
    case green = 32
    /// A warning.
    case yellow = 33
  }

  /// Text in a colour, when standard output is a terminal and the user did not set `NO_COLOR`.
  public static func coloured(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[1;\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A line whose characters that would control the terminal are visible. Colours of this program stay.
  public static func visible(_ line: String) -> String {
    let visible = line.visible(keeping: "\t")
    guard isColoured else { return visible }
    return ["1;31", "1;32", "1;33", "0"].reduce(visible) {
      $0.replacing("\\u{1B}[\($1)m", with: "\u{1B}[\($1)m")
    }
  }

  private static let isColoured: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isatty(STDOUT_FILENO) == 1 && !isRefused && environment["TERM"] != "dumb"
  }()
}

internal import Foundation
internal import Octets

extension Console {
  /// A colour of a terminal (ECMA-48, 8.3.117).
  package enum Colour: Int {
    /// A refusal or fault.
    case red = 31
    /// A success.
    case green = 32
    /// A warning.
    case yellow = 33
  }

  /// Text in a colour for `print(_:)`, when standard output is a terminal and the user did not set `NO_COLOR`.
  package static func coloured(_ text: String, _ colour: Colour) -> String {
    isColoured ? mark("1;\(colour.rawValue)") + text + mark("0") : text
  }

  /// A line whose characters that would control the terminal are visible. Colours of this program stay.
  package static func visible(_ line: String) -> String {
    let visible = line.visible(keeping: "\t")
    guard isColoured else { return visible }
    return ["1;31", "1;32", "1;33", "0"].reduce(visible) { $0.replacing(mark($1), with: "\u{1B}[\($1)m") }
  }

  /// The place of a control sequence until the other characters of its line are visible. Text of a card or a user cannot
  /// contain it, because its number is another one in each run.
  private static func mark(_ parameters: String) -> String { "<\(markNumber);\(parameters)m>" }
  private static let markNumber = UInt64.random(in: .min ... .max)

  private static let isColoured: Bool = {
    let environment = ProcessInfo.processInfo.environment
    let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return isatty(STDOUT_FILENO) == 1 && !isRefused && environment["TERM"] != "dumb"
  }()
}

import ProgramSupport
import TapScenarios

/// What the person at the terminal does next, in a box with the progress of the run.
struct TapInstruction: Sendable {
  /// The lines in the box, the first one in large letters.
  let lines: [String]

  /// Creates the instruction for a tap.
  ///
  /// - Parameters:
  ///   - amount: The amount to be entered, with its currency.
  ///   - place: The number of the scenario, from 1, and how many there are.
  init(_ file: ScenarioFile, amount: String, tap: (number: Int, count: Int), place: (number: Int, count: Int)) {
    lines = [
      "Enter \(amount)", file.scenario.prompt ?? "Hold the card at the terminal.", "",
      "\(file.scenario.packTest?.id ?? ""): \(file.scenario.name)",
      "Scenario \(place.number) of \(place.count), tap \(tap.number) of \(tap.count)",
    ]
  }

  /// Shows the box on standard error.
  ///
  /// - Parameter keys: Whether the keys are named that the person can press.
  func show(keys: Bool) {
    let help = keys ? ["Space shows this again, s skips the scenario, c adds a comment"] : []
    Console.note(Self.box([Self.large(lines[0])] + lines.dropFirst() + help).joined(separator: "\n"))
  }

  /// A line in letters that take two columns each, as far as Unicode has such letters (full width forms).
  static func large(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          if scalar == " " { return "\u{3000}" }
          guard (0x21...0x7E).contains(scalar.value) else { return scalar }
          return UnicodeScalar(scalar.value + 0xFEE0) ?? scalar
        }))
  }

  /// The lines with a frame around them.
  static func box(_ lines: [String]) -> [String] {
    let widths = lines.map { line in line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) } }
    let width = widths.max() ?? 0
    let edge = String(repeating: "═", count: width + 2)
    return ["╔\(edge)╗"]
      + zip(lines, widths).map { "║ \($0)\(String(repeating: " ", count: width - $1)) ║" } + ["╚\(edge)╝"]
  }
}

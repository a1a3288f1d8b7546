import Foundation
import ProgramSupport
import TapScenarios

/// The question at the end of a tap.
enum DeskQuestion {
  /// How long an answer is waited for.
  static let limit = Duration.seconds(600)

  /// Asks the person at the terminal. Nil for an empty line, the end of the input, every other answer, and after the time
  /// limit.
  static func ask() -> TerminalExpectations.Shown? {
    Console.note(
      "What did the terminal show? a approved, d declined, p see phone, o other card, Enter nothing of these:")
    switch TypedLine.next(within: limit)?.lowercased() {
    case "a": return .approved
    case "d": return .declined
    case "p": return .seePhone
    case "o": return .otherCard
    default: return nil
    }
  }
}

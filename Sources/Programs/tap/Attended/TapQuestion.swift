import ProgramSupport
import TapScenarios

/// The question at the end of a tap.
enum TapQuestion {
  /// How long an answer is waited for.
  static let limit = Duration.seconds(600)

  /// Asks the person at the terminal. The answer says nothing of what was shown for Enter, `s`, the end of the input, every
  /// other answer, and after the time limit.
  ///
  /// - Parameter comment: What the person wrote down during the tap.
  static func ask(comment: String?) -> TerminalAnswer {
    Console.note(
      """
      What did the terminal show? a approved, d declined, p see phone, o other card, Enter nothing of these; \
      Space makes the tap again, s skips the question, c adds a comment:
      """)
    var answer = TerminalAnswer(comment: comment)
    while true {
      switch TypedLine.key(within: limit) {
      case "a": answer.shown = .approved
      case "d": answer.shown = .declined
      case "p": answer.shown = .seePhone
      case "o": answer.shown = .otherCard
      case " ": answer.isRepeated = true
      case "c":
        answer.comment = TapComment.ask() ?? answer.comment
        continue
      default: break
      }
      return answer
    }
  }
}

/// A comment of the person at the terminal.
enum TapComment {
  /// Asks for a line; nil for an empty one.
  static func ask() -> String? {
    Console.note("Comment, one line:")
    return TypedLine.next(within: TapQuestion.limit).flatMap { $0.isEmpty ? nil : $0 }
  }
}

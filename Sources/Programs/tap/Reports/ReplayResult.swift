import Octets
import ProgramSupport
import TapScenarios

/// What became of a recording in `tap replay`.
struct ReplayResult {
  enum Verdict: String, CaseIterable {
    case reproduced
    case different
    case unusable
  }

  let file: String
  private(set) var verdict: Verdict
  var role: String?
  var exchanges: Int?
  private(set) var message: String?
  /// The recorded exchanges that text shows below the line.
  var exchangeLines: [String] = []
  /// How long the replay took.
  var time = Duration.zero

  /// How the recording ends the program.
  private(set) var exit = Exit.done

  /// The same recording with another verdict.
  func failed(_ verdict: Verdict, _ message: String, _ exit: Exit = .notRight) -> ReplayResult {
    var result = self
    (result.verdict, result.message, result.exit) = (verdict, message, exit)
    return result
  }

  var json: JSONObject {
    [
      "file": file, "result": verdict.rawValue, "role": role, "exchanges": exchanges, "message": message,
      "time_ns": time.nanoseconds,
    ]
  }

  /// One line of text.
  var line: String {
    let detail =
      message.map { ": " + Console.coloured($0, .red) } ?? exchanges.map { ", \($0.counted("exchange"))" }
      ?? ""
    return "\(file.visible()): \(Console.coloured(verdict.rawValue, verdict == .reproduced ? .green : .red))\(detail)"
  }

  /// The case of a JUnit document.
  var testCase: JUnitReport.Case {
    let failure: JUnitReport.Case.Failure? =
      switch verdict {
      case .reproduced: nil
      case .different: .failure(message ?? "different")
      case .unusable: .error(message ?? "unusable")
      }
    return JUnitReport.Case(group: role ?? "recording", name: file, time: time, failure: failure)
  }
}

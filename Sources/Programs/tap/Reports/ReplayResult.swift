import TapScenarios

/// What became of a recording in `tap replay`.
struct ReplayResult: Encodable {
  enum Verdict: String, Encodable, CaseIterable {
    case reproduced
    case different
    case unusable
  }

  enum CodingKeys: String, CodingKey {
    case file
    case verdict = "result"
    case role
    case exchanges
    case message
  }

  let file: String
  private(set) var verdict: Verdict
  var role: String?
  var exchanges: Int?
  private(set) var message: String?
  /// How long the replay took.
  var time: Duration = .zero

  init(file: String, verdict: Verdict, message: String? = nil) {
    (self.file, self.verdict, self.message) = (file, verdict, message)
  }

  /// The same recording with another verdict.
  func failed(_ verdict: Verdict, _ message: String) -> ReplayResult {
    var result = self
    (result.verdict, result.message) = (verdict, message)
    return result
  }

  /// One line of text.
  var line: String {
    let detail = message.map { ": \($0)" } ?? exchanges.map { ", \($0) exchange\($0 == 1 ? "" : "s")" } ?? ""
    return "\(file): \(verdict.rawValue)\(detail)"
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

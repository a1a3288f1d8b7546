import ProfileAuthoring
import TestSupport
import Testing

@Suite("Problems of profiles")
struct ProfileProblemTests {
  @Test(arguments: try WrongDocument.all("profiles"))
  func `a wrong profile has the recorded problems`(_ wrong: WrongDocument) throws {
    let kind = wrong.kind == "card" ? ProfileKind.card : .terminal
    guard case .problems(let problems) = kind.check(Array(wrong.document.utf8)) else {
      Issue.record("the profile was accepted")
      return
    }
    #expect(problems.map { $0.text(in: "file") } == wrong.problems)
  }
}

import Documents
import TapScenarios
import TestSupport
import Testing

@Suite("Problems of scenarios")
struct ScenarioProblemTests {
  @Test(arguments: try WrongDocument.all("scenarios"))
  func `a wrong scenario has the recorded problems`(_ wrong: WrongDocument) {
    var problems: [String] = []
    do {
      if wrong.kind == "capabilities" {
        _ = try TestedCapabilities(parsing: Array(wrong.document.utf8))
      } else {
        _ = try TapScenario(parsing: Array(wrong.document.utf8))
      }
    } catch let error as ScenarioError {
      problems = error.problems.map(\.description)
    } catch let error as TestedCapabilitiesError {
      problems = error.problems.map(\.description)
    } catch {
      problems = ["\(error)"]
    }
    #expect(problems == wrong.problems)
  }
}

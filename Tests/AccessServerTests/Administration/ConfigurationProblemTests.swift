import Documents
import JSON
import TestSupport
import Testing

@testable import AccessServer

@Suite("Problems of configurations")
struct ConfigurationProblemTests {
  @Test(arguments: try WrongDocument.all("configurations"))
  func `a wrong configuration has the recorded problems`(_ wrong: WrongDocument) {
    let error = #expect(throws: ConfigurationError.self) {
      try ServerConfiguration(json: Array(wrong.document.utf8), isSelfSigned: true)
    }
    #expect(error?.problems.map(\.description) == wrong.problems)
  }
}

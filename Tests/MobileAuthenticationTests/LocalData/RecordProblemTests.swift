import Documents
import JSON
import TestSupport
import Testing

@testable import MobileAuthentication

@Suite("Problems of records")
struct RecordProblemTests {
  @Test(arguments: try WrongDocument.all("records"))
  func `a wrong record has the recorded problems`(_ wrong: WrongDocument) throws {
    let json = try JSONValue(parsing: wrong.document.utf8)
    var problems: [String] = []
    do { _ = try SharedDevice(json) } catch { problems = ["\(error)"] }
    #expect(problems == wrong.problems)
  }
}

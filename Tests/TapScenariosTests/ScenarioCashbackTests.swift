import Documents
import PaymentAcceptance
import TapScenarios
import Testing

/// The part of an amount that is paid out in cash.
@Suite("Cashback in a scenario")
struct ScenarioCashbackTests {
  private func parsed(_ further: String) throws(ScenarioError) -> TapScenario {
    try TapScenario(
      parsing: Array("name: A\namount: 30.00\ncurrency: EUR\n\(further)expect: {cvm: CDCVM}\n".utf8))
  }

  @Test func `it is kept as it is written, in quotes too, and nothing stands in for it`() throws {
    #expect(try parsed("cashback: 10.00\n").cashback == "10.00")
    #expect(try parsed("cashback: \"007\"\n").cashback == "007")
    #expect(try parsed("").cashback == nil)
  }

  @Test(arguments: PaymentKind.allCases) func `what the payment is for is kept`(kind: PaymentKind) throws {
    #expect(try parsed("type: \(kind)\n").kind == kind)
    #expect(try parsed("").kind == nil)
  }

  @Test(arguments: [
    ("type: gift\n", "line 4, column 1, $.type: \"gift\" is not one of purchase, cash, cashback, refund"),
    ("cashback: [1]\n", "line 4, column 1, $.cashback: text is needed, not a list"),
    ("cashback:\n", "line 4, column 1, $.cashback: text is needed, not nothing"),
    (
      "cashback: 123456789012345678901\n",
      "line 4, column 1, $.cashback: a text of 1 to 20 characters is needed, not one of 21"
    ),
    ("cashBack: 1\n", "line 4, column 1, $.cashBack: no such key"),
  ])
  func `what is no text of 1 to 20 characters is a problem with its place`(_ line: String, _ problem: String) {
    let error = #expect(throws: ScenarioError.self) { _ = try parsed(line) }
    let problems = error?.problems.map(\.description) ?? []
    #expect(problems.count == 1 && problems[0].hasPrefix(problem), "\(problems)")
  }
}

import LinkTiming
import Testing

extension ExampleTests {
  @Test func `the article of LinkTiming: a budget is computed and printed`() throws {
    let chain = try LinkChain(parsing: "phone,106k,acr122u")
    let budget = TapBudget(
      of: [ModelledExchange(name: "READ RECORD", commandCount: 5, responseCount: 180)], over: chain)
    for line in budget.lines() { print(line) }

    #expect(budget.lines()[0] == "model, not measured: a phone at 106 kbit/s and an ACR122U")
  }
}

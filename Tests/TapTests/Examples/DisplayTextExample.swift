import DisplayText
import Testing

extension ExampleTests {
  @Test func `the article of DisplayText: lines are broken between bytes, and columns are aligned`() {
    let response = String(repeating: "6F57", count: 40)
    let width = TerminalWidth.columns(at: 1)
    print(FittedText.lines("   < " + response, width: width))

    let table = TextTable([["command", "us"], ["SELECT PPSE", "145.2"]], numbersAlign: .right)
    for line in table.lines(width: width) { print(line) }

    #expect(FittedText.lines("   < " + response, width: 45).hasPrefix("   < 6F57"))
    #expect(table.lines() == ["command         us", "SELECT PPSE  145.2"])
  }
}

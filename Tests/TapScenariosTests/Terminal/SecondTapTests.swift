import TapScenarios
import Testing

/// A terminal that pays twice with a card that is tapped twice, in this process.
@Suite("Second taps of a terminal test")
struct SecondTapTests {
  @Test(arguments: [1, 2, 3])
  func `a terminal that pays again fails by its presentations, and one that pays once passes`(_ payments: Int)
    async throws
  {
    let file = try #require(TerminalPackTests.files["TRN-09"])
    let terminal = MutantTerminal(Mutant(fault: "payments", payments: payments))
    let verdict = try await TerminalPack.verdict(on: terminal, in: file)
    #expect(verdict.isPassed == (payments == 1), "\(verdict.failures.map(\.description))")
    // Each payment takes one visit of the card, which comes twice.
    #expect(payments == 1 || verdict.failures.map(\.element) == ["number of presentations"])
  }
}

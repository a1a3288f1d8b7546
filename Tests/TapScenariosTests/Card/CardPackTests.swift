import TapScenarios
import Testing

/// The pack of scenarios that judge a card: what it finds, and that this project's card passes it.
@Suite("Card tests")
struct CardPackTests {
  static let pack = PackFolder.card
  static let files = pack.filesByID()

  @Test func `every scenario of the pack is read, with an identifier of its own and a fault to find`() throws {
    try Self.pack.check(CardMutant.all.map(\.fault))
  }

  @Test(arguments: files.keys.sorted()) func `the card of this project passes`(_ id: String) async throws {
    let verdict = try await CardPack.verdict(on: OwnCard(), in: #require(Self.files[id]))
    #expect(verdict.isPassed, "\(verdict.failures.map(\.description))")
  }

  @Test func `the table of mutants is up to date, each is found, and no two scenarios find the same`() async throws {
    try await Self.pack.checkTable(faults: CardMutant.all.map(\.fault), CardPack.found)
  }

  @Test func `the catalogue and the matrix of rules are up to date`() throws { try Self.pack.checkPages() }
}

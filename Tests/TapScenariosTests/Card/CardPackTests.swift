import TapScenarios
import Testing

/// The pack of scenarios that judge a card: what it finds, and that this project's card passes it.
@Suite("Card tests")
struct CardPackTests {
  static let pack = PackFolder.card
  static let files = pack.filesByID()

  @Test func `every scenario of the pack is read, with an identifier of its own and a fault to find`() throws {
    let files = try Self.pack.files()
    let tests = try files.map { try #require($0.scenario.cardTest, "\($0.path)") }
    #expect(tests.count >= 80)
    #expect(Set(tests.map(\.id)).count == tests.count)
    #expect(files.allSatisfy { $0.scenario.description?.isEmpty == false })
    let faults = Set(CardMutant.all.map(\.fault))
    #expect(faults.count == CardMutant.all.count && faults.count >= 60)
    for test in tests {
      let finding = try #require(test.finding, "\(test.id)")
      #expect(faults.contains(finding.fault), "\(test.id): \(finding.fault)")
    }
  }

  @Test(arguments: files.keys.sorted()) func `the card of this project passes`(_ id: String) async throws {
    let verdict = try await CardPack.verdict(on: OwnCard(), in: #require(Self.files[id]))
    #expect(verdict.isPassed, "\(verdict.failures.map(\.description))")
  }

  @Test func `the table of mutants is up to date, each is found, and no two scenarios find the same`() async throws {
    let files = try Self.pack.files()
    let rows = try await MutantTable.rows(files, CardPack.found)
    try MutantTable.check(rows, files, faults: CardMutant.all.map(\.fault))
    MutantTable.checkOverlap(rows, files)
    try Self.pack.compare(MutantTable.text(rows), with: "MUTANTS.txt")
  }

  @Test func `the catalogue is up to date`() throws {
    try Self.pack.compare(PackCatalogue.text(Self.pack, Self.pack.files()), with: "CATALOGUE.md")
  }
}

import EMVCryptography
import EMVData
import EMVIssuer
import Octets
import Testing

/// A ledger whose storage fails when an entry is saved.
private struct FailingLedger: IssuerLedger {
  struct Failure: Error {}
  var stored = InMemoryLedger()

  func entry(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8) -> LedgerEntry? {
    stored.entry(accountNumber: accountNumber, sequenceNumber: sequenceNumber)
  }

  func entries(accountNumber: PrimaryAccountNumber) -> [LedgerEntry] { stored.entries(accountNumber: accountNumber) }

  mutating func save(_ entry: LedgerEntry) throws(Failure) { throw Failure() }
}

@Suite struct IssuerLedgerTests {
  let account: IssuerAccount

  init() throws {
    account = IssuerAccount(
      accountNumber: try #require(PrimaryAccountNumber(digits: "4761739001010010")), sequenceNumber: 1,
      cryptogramVersion: .visa18)
  }

  private func issuer() -> Issuer { Issuer(keys: .publicTest) }

  @Test func `a second issuer with the same ledger continues its grants`() throws {
    var ledger = InMemoryLedger()
    issuer().enrol(account, in: &ledger)
    let first = try issuer().grant(10, to: account, in: &ledger).get()
    let second = try issuer().grant(10, to: account, in: &ledger).get()
    #expect((first.counters, second.counters) == (1...10, 11...20))
  }

  @Test func `a grant begins above the last counter of the ledger`() throws {
    var ledger = InMemoryLedger()
    ledger.save(LedgerEntry(account: account, lastCounter: 40, freeCounter: 3))
    #expect(try issuer().grant(2, to: account, in: &ledger).get().counters == 41...42)
  }

  @Test func `a grant that the ledger does not save is not made`() throws {
    var ledger = FailingLedger()
    ledger.stored.save(LedgerEntry(account: account))
    #expect(throws: FailingLedger.Failure.self) { try issuer().grant(1, to: account, in: &ledger).get() }
  }

  @Test(arguments: [(0 as UInt16, 0, 1...1), (7, 3, 7...9), (65_530, 100, 65_530...65_535)])
  func `a grant is described with counters of 1 to 65535`(first: UInt16, uses: Int, counters: ClosedRange<UInt16>) {
    #expect(KeyGrant(firstCounter: first, uses: uses).counters == counters)
  }
}

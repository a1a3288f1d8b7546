import EMVCryptography
import EMVData
import EMVIssuer
import Octets
import Testing

@Suite("The test issuer provisions keys")
struct ProvisioningTests {
  let issuer = TestIssuer()
  let account: IssuerAccount

  init() throws {
    account = IssuerAccount(
      accountNumber: try #require(PrimaryAccountNumber(digits: "4761739001010010")), sequenceNumber: 1,
      cryptogramVersion: .visa18, firstCounter: 10)
    issuer.enrol(account)
  }

  @Test func `counters are granted once, in order and above those of the wallet`() throws {
    #expect(try issuer.grant(5, to: account).counters == 10...14)
    #expect(try issuer.grant(2, to: account).counters == 15...16)
    #expect(try issuer.grant(2, to: account, notBelow: 40).counters == 40...41)
    #expect(try issuer.grant(1, to: account, notBelow: 3).counters == 42...42)
    issuer.enrol(account)
    #expect(try issuer.grant(1, to: account).firstCounter == 43)
  }

  @Test func `fewer counters are granted at the end of the range, then none`() throws {
    #expect(try issuer.grant(9, to: account, notBelow: 65_533).counters == 65_533...65_535)
    #expect(throws: ProvisioningRefusal.countersExhausted) { try issuer.grant(1, to: account) }
    #expect(throws: ProvisioningRefusal.countersExhausted) { try issuer.grant(1, to: account, notBelow: 65_536) }
  }

  @Test func `an unknown card, a retired card and impossible numbers receive no counters`() throws {
    for uses in [-1, 0, 65_536] {
      #expect(throws: ProvisioningRefusal.invalidUses(uses)) { try issuer.grant(uses, to: account) }
    }
    let stranger = IssuerAccount(
      accountNumber: account.accountNumber, sequenceNumber: 2, cryptogramVersion: .visa18)
    #expect(throws: ProvisioningRefusal.unknownCard) { try issuer.grant(1, to: stranger) }
    issuer.retire(accountNumber: account.accountNumber, sequenceNumber: 1)
    #expect(throws: ProvisioningRefusal.retired) { try issuer.grant(1, to: account) }
    issuer.enrol(account)
    #expect(throws: ProvisioningRefusal.retired) { try issuer.grant(1, to: account) }
    #expect(
      issuer.authorize(accountNumber: account.accountNumber, sequenceNumber: 1) { _ in nil } == .declined(.retired))
  }

  @Test(
    arguments: CryptogramVersion.all
  )
  func `a session key is that of the version, or nil when it depends on the terminal`(_ version: CryptogramVersion)
    throws
  {
    let account = IssuerAccount(
      accountNumber: account.accountNumber, sequenceNumber: 3, cryptogramVersion: version)
    let key = issuer.sessionKey(of: account, counter: 7)
    let isMade = key != nil
    #expect(isMade == !version.needsUnpredictableNumber)
    guard let key else { return }
    let expected = version.cryptogramKey(masterKey: issuer.cardMasterKey(of: account), atc: 7)
    let isEqual = key.withExposedOctets { left in
      expected.withExposedOctets { right in constantTimeEqual(left, right) }
    }
    #expect(isEqual)
  }
}

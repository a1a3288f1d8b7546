import EMVCard
import EMVData
import Fixtures
import JSON
import Testing

@testable import AccessServer

@Suite("The configuration of the issuer")
struct IssuerConfigurationTests {
  private func configuration(_ members: String) throws -> IssuerConfiguration {
    try ServerConfiguration(json: Array("{\(members)}".utf8), isSelfSigned: true).issuer
  }

  @Test func `without a key there is no card, and the defaults hold`() throws {
    let issuer = try configuration("")
    #expect(issuer.cards.isEmpty)
    #expect((issuer.accountPrefix, issuer.uses, issuer.threshold) == ("999999", 10, 3))
  }

  @Test func `cards, prefix, uses and threshold are read`() throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let issuer = try configuration(#""cards":[\#(profile)],"accountPrefix":"9988","uses":20,"threshold":5"#)
    #expect(issuer.cards.map(\.name) == ["Visa wallet card, CVN 18"])
    #expect((issuer.accountPrefix, issuer.uses, issuer.threshold) == ("9988", 20, 5))
  }

  @Test(arguments: [
    (#""accountPrefix":"99a""#, "accountPrefix"), (#""accountPrefix":"1234567890123""#, "accountPrefix"),
    (#""uses":0"#, "uses"), (#""uses":1001"#, "uses"), (#""uses":3,"threshold":3"#, "threshold"),
    (#""cards":[{}]"#, "cards[0]"), (#""cards":{}"#, "cards"),
  ])
  func `a wrong value is a problem with its place`(_ members: String, _ place: String) {
    #expect {
      try configuration(members)
    } throws: { ($0 as? ConfigurationError)?.description.contains(place) == true }
  }

  @Test func `two profiles of one name are refused`() throws {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    #expect(throws: ConfigurationError.self) { try configuration(#""cards":[\#(profile),\#(profile)]"#) }
  }

  @Test(arguments: [(0, "9999990000000003"), (1, "9999990000000011"), (123_456_789, "9999991234567899")])
  func `an account number has prefix, serial number and check digit`(_ serial: Int, _ digits: String) throws {
    let number = try #require(PrimaryAccountNumber(prefix: "999999", serial: serial, count: 16))
    #expect(number.hasValidCheckDigit)
    #expect(number.exposedDigits.dropLast() == digits.dropLast())
  }

  @Test func `a serial number with too many digits gives no account number`() {
    #expect(PrimaryAccountNumber(prefix: "999999", serial: 1_000_000_000, count: 16) == nil)
  }
}

import Ciphers
import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

@Suite("The test authority")
struct TestAuthorityTests {
  private static let numbers = ["4761739001010010", "54133300896041", "3742450017410071234"]

  @Test(arguments: numbers) func `the certificates of a card verify with the key of the authority`(_ digits: String)
    throws
  {
    let number = try #require(PrimaryAccountNumber(digits: digits))
    let (expiry, date) = (try #require(TransactionDate("2030-12-01")), try #require(TransactionDate("2030-12-31")))
    let key = TestAuthority.cardKey(accountNumber: number, sequenceNumber: 1).publicKey
    let staticData: [UInt8] = [0x5A, 0x01, 0x02]
    var objects = TestAuthority.standard.issuerCertificate(for: number, expiry: expiry)
    objects.merge(
      TestAuthority.standard.cardCertificate(of: key, accountNumber: number, staticData: staticData, expiry: expiry)
    ) { first, _ in first }
    objects[0x5A] = number.compressedNumeric
    let issuer = try IssuerCertificate(
      in: objects, provider: TestAuthority.provider, authorities: TestAuthority.keys(), at: date)
    #expect(issuer.identifier == digits.prefix(6))
    let card = try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date)
    #expect(card.key == key)
    #expect(throws: AuthenticationFailure.hash(.cardCertificate)) {
      try CardCertificate(in: objects, issuer: issuer, staticData: [], at: date)
    }
  }

  @Test func `the key of a card has the size that was asked for, whatever was derived before`() throws {
    let number = try #require(PrimaryAccountNumber(digits: "4761739001010010"))
    for bits in [512, 896, 512] {
      let key = TestAuthority.cardKey(accountNumber: number, sequenceNumber: 1, bits: bits).publicKey
      #expect(key.modulus.count == bits / 8)
    }
  }

  @Test func `the key of a card is always the same, and another for each account and sequence number`() throws {
    let keys = try Self.numbers.flatMap { digits in
      let number = try #require(PrimaryAccountNumber(digits: digits))
      return [nil, 0, 1, 1].map { TestAuthority.cardKey(accountNumber: number, sequenceNumber: $0).publicKey }
    }
    #expect(keys.allSatisfy { $0.modulus.count == 112 && $0.modulus[0] & 0x80 != 0 })
    #expect(Set(keys).count == 6)
    for account in 0..<3 { #expect(keys[4 * account] == keys[4 * account + 1]) }
    for account in 0..<3 { #expect(keys[4 * account + 2] == keys[4 * account + 3]) }
  }

  /// The bytes that a program which shares no code with this one has made.
  @Test func `the issuer certificate is that of the vector file`() throws {
    let file = try #require(
      JSONSerialization.jsonObject(with: Fixtures.data("Vectors/verified/data_authentication.json")) as? [String: Any])
    let chain = try #require((file["valid"] as? [[String: Any]])?.first)
    let tags = try #require(chain["tags"] as? [String: String])
    let new = NewCertificate.issuer(
      identifier: [0x54, 0x13, 0x33], expiry: try #require(TransactionDate("2030-12-31")), serialNumber: [0, 0, 1])
    let signed = new.signed(TestAuthority.standard.issuerKey().publicKey, by: TestAuthority.standard.authorityKey())
    #expect(signed?.certificate.hex == tags["90"] && signed?.remainder.hex == tags["92"])
  }

  @Test func `a key that is shorter than the room of its certificate is padded`() throws {
    let number = try #require(PrimaryAccountNumber(digits: "4761739001010010"))
    let date = try #require(TransactionDate("2030-12-31"))
    let key = RSASigningKey.derived(count: 64, from: Secret(copying: [1])).publicKey
    let objects = TestAuthority.standard.cardCertificate(of: key, accountNumber: number, staticData: [], expiry: date)
    #expect(objects[0x9F48] == [])
    var all = objects.merging(TestAuthority.standard.issuerCertificate(for: number, expiry: date)) { first, _ in first }
    all[0x5A] = number.compressedNumeric
    let issuer = try IssuerCertificate(
      in: all, provider: TestAuthority.provider, authorities: TestAuthority.keys(), at: date)
    #expect(try CardCertificate(in: all, issuer: issuer, staticData: [], at: date).key == key)
  }
}

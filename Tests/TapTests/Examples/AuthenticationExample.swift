import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

extension ExampleTests {
  // A chain of Fixtures/Vectors/verified/data_authentication.json.
  @Test func `the article about cryptography: certificates and signature of a card are checked`() throws {
    let file = try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/verified/data_authentication.json")))
    let vector = try #require(file["valid"]?.list?.first)
    func octets(_ path: String...) throws -> [UInt8] {
      try [UInt8](hex: path.reduce(vector as JSONValue?) { $0?[$1] }?.text ?? "")
    }
    let provider = try octets("authority", "rid")
    let authorities = [
      try CertificationAuthorityKey(
        provider: provider, index: 1, modulus: octets("authority", "modulus"), exponent: [3],
        checksum: octets("authority", "checksum"))
    ]
    var objects: [ISO7816.Tag: [UInt8]] = [
      0x5A: try [UInt8](hex: vector["pan"]?.text ?? ""), 0x8F: [1], 0x9F4A: [0x82],
    ]
    for (tag, name) in [
      (0x90, "90"), (0x92, "92"), (0x9F32, "9F32"), (0x9F46, "9F46"), (0x9F47, "9F47"), (0x9F48, "9F48"),
    ]
      as [(ISO7816.Tag, String)]
    {
      objects[tag] = try octets("tags", name)
    }
    let covered = try octets("staticData")
    let profile = Array(covered.suffix(2))
    let records = [SignedRecord(sfi: 1, data: [0x70, UInt8(covered.count - 2)] + covered.dropLast(2))]
    let (signature, terminalData) = (try octets("signature"), try octets("terminalData"))
    let date = try #require(TransactionDate("2026-01-31"))

    let issuer = try IssuerCertificate(in: objects, provider: provider, authorities: authorities, at: date)
    let staticData = try StaticData.joined(records, tagList: objects[0x9F4A], interchangeProfile: profile)
    let card = try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date)
    let signed = try SignedDynamicData(signature, .fast, card: card, terminalData: terminalData)

    #expect(signed.dynamicNumber == [1, 2])
  }
}

import Ciphers
import EMVCryptography
import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

/// Certificates and signatures of cards, made with the public test keys of `test_primes.json`, and a terminal that has the
/// authority.
enum SigningDouble {
  static let provider = octets("F000000001")
  static let name = octets("F0000000011010")
  static let number = "4761739001010010"
  static let profile = octets("2000")
  static let record = [TLVNode(0x5A, octets(number)), TLVNode(0x5F24, octets("301231")), TLVNode(0x9F4A, [0x82])]

  static func key(_ name: String) throws -> RSASigningKey {
    let file = try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/verified/test_primes.json")))
    let primes = try ["p", "q"].map { octets(try #require(file[name]?[$0]?.text)) }
    guard let key = RSASigningKey(p: Secret(copying: primes[0]), q: Secret(copying: primes[1])) else {
      throw Terminals.Unreachable()
    }
    return key
  }

  /// Tags 8F, 90, 92, 9F32, 9F46, 9F47 and 9F48 over static data.
  static func certificates(_ number: String = number, covering staticData: [UInt8]) throws -> [TLVNode] {
    let account = try #require(PrimaryAccountNumber(digits: number))
    let expiry = try #require(TransactionDate("2030-12-31"))
    let issuer = try key("issuer")
    let card = try key("card").publicKey
    let first = NewCertificate.issuer(
      identifier: octets(String(number.prefix(6))), expiry: expiry, serialNumber: [0, 0, 1])
    let second = NewCertificate.card(accountNumber: account, expiry: expiry, serialNumber: [0, 0, 2])
    let signed = try first.signed(issuer.publicKey, by: key("authority"))
    let certified = second.signed(card, covering: staticData, by: issuer)
    guard let signed, let certified else { throw Terminals.Unreachable() }
    return [
      TLVNode(0x8F, [0x01]), TLVNode(0x90, signed.certificate), TLVNode(0x92, signed.remainder),
      TLVNode(0x9F32, [0x03]), TLVNode(0x9F46, certified.certificate), TLVNode(0x9F47, [0x03]),
      TLVNode(0x9F48, certified.remainder),
    ]
  }

  /// The key of the card, read once: some tests make thousands of signatures.
  private final class CardKey: Sendable {
    let key: RSASigningKey

    init(_ key: consuming RSASigningKey) { self.key = key }
  }

  private static let cardKey = Result { CardKey(try key("card")) }

  /// Tag 9F4B over dynamic data and data of the terminal.
  static func signature(_ format: UInt8, _ dynamicData: [UInt8], covering terminalData: [UInt8]) throws -> [UInt8] {
    let card = try cardKey.get()
    var block = [UInt8](repeating: 0, count: card.key.publicKey.modulus.count)
    block.replaceSubrange(
      RSASigningKey.dynamicDataOffset..<RSASigningKey.dynamicDataOffset + dynamicData.count, with: dynamicData)
    let scratch = card.key.makeScratch()
    var span = block.mutableSpan
    var message = RSASigningKey.layOut(format, count: dynamicData.count, in: &span)
    message.update(terminalData.span)
    let isSigned = card.key.finish(&span, covering: message, scratch: scratch)
    #expect(isSigned)
    return block
  }

  /// The entry of the authority in a terminal profile.
  static func authority(_ provider: [UInt8] = provider) throws -> JSONValue {
    let key = try key("authority").publicKey
    let checksum = CertificationAuthorityKey.checksum(
      provider: provider, index: 1, modulus: key.modulus, exponent: key.exponent)
    return [
      "provider": JSONValue(provider.hex), "index": "01", "modulus": JSONValue(key.modulus.hex), "exponent": "03",
      "checksum": JSONValue(checksum.hex),
    ]
  }
}

import CExponentiationCounter
import Ciphers
import EMVCryptography
import EMVData
import ISO7816
import Octets
import TestSupport
import Testing

@Suite("Offline data authentication")
struct ChainTests {
  @Test(arguments: ChainVector.valid) func `a valid chain verifies with an exponentiation for each of its signatures`(
    _ vector: ChainVector
  ) throws {
    let before = thread_exponentiation_count()
    try vector.authenticate()
    // Issuer certificate, card certificate and dynamic data; or issuer certificate and static data.
    #expect(thread_exponentiation_count() - before == (vector.name.hasSuffix("sda") ? 2 : 3))
  }

  @Test(arguments: ChainVector.wrong)
  func `a correctly signed chain with one wrong field is refused by the check of that field`(
    _ vector: ChainVector
  ) throws {
    let failure = try vector.expectedFailure()
    #expect(throws: failure) { try vector.authenticate() }
  }

  /// The results of a verifier written elsewhere (`verified/oda_results.json`), and the values that were signed.
  @Test(arguments: [
    ("contactless-mastercard", "D58B731AF5885C06"), ("amex-cda", "51F4F65DDE43732D"), ("CDA", "0123456789ABCDEF"),
    ("CDA with relay data", "0123456789ABCDEF"), ("fDDA", "0102"),
  ])
  func `the signed cryptogram or dynamic number is recovered`(_ name: String, _ value: String) throws {
    #expect(try ChainVector.valid(name).authenticate().hex == value)
  }

  @Test func `identifier, serial number and keys are recovered`() throws {
    let issuer = try ChainVector.valid("contactless-mastercard").issuer()
    #expect(issuer.identifier == "54133300")
    #expect(issuer.key.modulus.count * 8 == 1152 && issuer.serialNumber.count == 3)
    let card = try ChainVector.valid("contactless-mastercard").card()
    #expect(card.key.modulus.count * 8 == 1152)
  }

  /// One byte of one part is changed; each byte of each part once.
  @Test(arguments: ChainVector.valid) func `a chain with one changed byte is refused`(_ vector: ChainVector) throws {
    func refuse(_ text: String, _ part: String, _ replace: (inout ChainVector, String) -> Void) throws {
      let octets = try [UInt8](hex: text)
      for index in octets.indices {
        var changed = octets
        changed[index] ^= 0x01
        var copy = vector
        replace(&copy, changed.hex)
        #expect(throws: AuthenticationFailure.self, "\(part), byte \(index)") { try copy.authenticate() }
      }
    }
    for (tag, text) in vector.tags { try refuse(text, tag) { $0.tags[tag] = $1 } }
    try refuse(vector.staticData, "static data") { $0.staticData = $1 }
    try refuse(vector.signature, "signature") { $0.signature = $1 }
    try refuse(vector.terminalData ?? "", "terminal data") { $0.terminalData = $1 }
    try refuse(vector.transactionData ?? "", "transaction data") { $0.transactionData = $1 }
    try refuse(vector.cryptogramInformation ?? "", "9F27") { $0.cryptogramInformation = $1 }
    try refuse(vector.relayData ?? "", "relay data") { $0.relayData = $1 }
  }

  @Test func `each data object of the chain is needed, but for a remainder of a key that fits`() throws {
    let vector = try ChainVector.valid("fDDA")
    let (objects, authority) = (try vector.objects(), try vector.key())
    let date = try #require(TransactionDate(vector.date))
    let staticData = try [UInt8](hex: vector.staticData)
    func chain(_ objects: [ISO7816.Tag: [UInt8]], _ authorities: [CertificationAuthorityKey]) throws {
      let issuer = try IssuerCertificate(in: objects, provider: authority.provider, authorities: authorities, at: date)
      _ = try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date)
    }
    try chain(objects, [authority])
    for tag in [0x5A, 0x8F, 0x90, 0x9F32, 0x9F46, 0x9F47] as [ISO7816.Tag] {
      var rest = objects
      rest[tag] = nil
      #expect(throws: AuthenticationFailure.missing(tag)) { try chain(rest, [authority]) }
    }
    for (tag, part) in [(0x92, .issuerCertificate), (0x9F48, .cardCertificate)]
      as [(ISO7816.Tag, AuthenticationFailure.Part)]
    {
      var rest = objects
      rest[tag] = nil
      #expect(throws: AuthenticationFailure.hash(part)) { try chain(rest, [authority]) }
    }
    #expect(throws: AuthenticationFailure.unknownAuthority(index: 1)) { try chain(objects, []) }
    var other = objects
    other[0x8F] = [2]
    #expect(throws: AuthenticationFailure.unknownAuthority(index: 2)) { try chain(other, [authority]) }
    other[0x8F] = []
    #expect(throws: AuthenticationFailure.missing(0x8F)) { try chain(other, [authority]) }
  }

  @Test func `a certificate is valid to the last day of its month`() throws {
    let vector = try ChainVector.valid("fDDA")
    _ = try vector.issuer(date: "2030-12-31")
    #expect(throws: AuthenticationFailure.expired(.issuerCertificate)) { try vector.issuer(date: "2031-01-01") }
  }

  @Test func `a revoked certificate is refused, others of the authority are not`() throws {
    let vector = try ChainVector.valid("fDDA")
    let provider = try [UInt8](hex: vector.authority.rid)
    let own = RevokedCertificate(provider: provider, index: 1, serialNumber: [0, 0, 1])
    #expect(throws: AuthenticationFailure.revoked) { try vector.issuer(revoked: [own]) }
    for other in [
      RevokedCertificate(provider: provider, index: 2, serialNumber: [0, 0, 1]),
      RevokedCertificate(provider: provider, index: 1, serialNumber: [0, 0, 2]),
    ] { _ = try vector.issuer(revoked: [other]) }
  }

  @Test(arguments: [-1, 1]) func `a certificate of another length than its key is refused`(_ difference: Int) throws {
    var vector = try ChainVector.valid("fDDA")
    let text = try #require(vector.tags["90"])
    vector.tags["90"] = difference < 0 ? String(text.dropLast(2)) : text + "00"
    #expect(throws: AuthenticationFailure.length(.issuerCertificate)) { try vector.authenticate() }
  }

  @Test func `a certificate that is not below its modulus is refused`() throws {
    var vector = try ChainVector.valid("fDDA")
    for number in [vector.authority.modulus, String(repeating: "F", count: vector.authority.modulus.count)] {
      vector.tags["90"] = number
      #expect(throws: AuthenticationFailure.number(.issuerCertificate)) { try vector.authenticate() }
    }
    vector.tags["90"] = String(repeating: "0", count: vector.authority.modulus.count)
    #expect(throws: AuthenticationFailure.header(.issuerCertificate)) { try vector.authenticate() }
  }

  /// The mutated chains of each seed: 25,000 in all, and ten million in `tools/test --soak`.
  private static let chains = Soak.isOn ? 2_000_000 : 5_000

  @Test(arguments: 0..<5 as Range<UInt64>)
  func `mutated chains are refused without a trap, after four exponentiations at most`(_ seed: UInt64) throws {
    let random = SeededRandomSource(seed: seed)
    for round in 0..<Self.chains {
      let before = thread_exponentiation_count()
      var vector = ChainVector.valid[round % ChainVector.valid.count]
      let tags = vector.tags.keys.sorted()
      let tag = tags[Int(random.octets(1)[0]) % tags.count]
      vector.tags[tag] = try mutated(#require(vector.tags[tag]), random)
      if round % 3 == 0 { vector.signature = try mutated(vector.signature, random) }
      if round % 5 == 0 { vector.staticData = try mutated(vector.staticData, random) }
      #expect(throws: AuthenticationFailure.self) { try vector.authenticate() }
      #expect(thread_exponentiation_count() - before <= 4)
    }
  }

  /// Changes, removes or adds bytes. The result differs from the text.
  private func mutated(_ text: String, _ random: SeededRandomSource) throws -> String {
    var octets = try [UInt8](hex: text)
    let (choice, place) = (random.octets(1)[0], Int(random.octets(1)[0]))
    switch choice % 4 {
    case 0 where !octets.isEmpty: octets.removeLast(place % octets.count + 1)
    case 1: octets += random.octets(place % 20 + 1)
    case 2 where !octets.isEmpty: octets[place % octets.count] ^= random.octets(1)[0] | 1
    default: octets = octets.map { ~$0 } + [0]
    }
    return octets.hex
  }
}

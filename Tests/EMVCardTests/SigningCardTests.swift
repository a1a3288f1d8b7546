import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

/// The shipped cards of the test authority, with the keys that the test issuer derives.
enum SigningCard {
  /// The key of a shipped card; nil for a card that makes no signatures.
  static func key(of image: CardImage) throws -> RSASigningKey? {
    guard let application = image.applications.first, image.signingKey != nil else { return nil }
    let seed =
      try [UInt8](hex: testIssuerKey) + application.accountNumber.compressedNumeric + [application.sequenceNumber]
    return RSASigningKey.derived(count: image.signingKey?.modulus.count ?? 112, from: Secret(copying: seed))
  }

  static func armed(_ image: CardImage, walletData: [UInt8] = []) throws -> Card {
    var card = Card(image: image, random: SeededRandomSource(seed: 1))
    card.arm(try arming(for: image, walletData: walletData))
    return card
  }

  /// Reads the certificates of the records that the AFL names.
  static func certificate(_ card: inout Card, _ options: [TLVNode], _ image: CardImage) throws -> CardCertificate {
    let authority = try CardProfile(json: #require(image.json)).applications[0].certificationAuthority
    let (modulus, exponent) = (
      try [UInt8](hex: authority?.modulus ?? ""), try [UInt8](hex: authority?.exponent ?? "")
    )
    let provider = Array(image.applications[0].aid.octets.prefix(5))
    let index: UInt8 = modulus.count == 248 ? 2 : 1
    let key = try CertificationAuthorityKey(
      provider: provider, index: index, modulus: modulus, exponent: exponent,
      checksum: CertificationAuthorityKey.checksum(
        provider: provider, index: index, modulus: modulus, exponent: exponent))
    func option(_ tag: ISO7816.Tag) throws -> [UInt8] { try #require(options.first { $0.tag == tag }?.value) }
    let locator = try ApplicationFileLocator(parsing: option(.applicationFileLocator))
    var (objects, signed): ([ISO7816.Tag: [UInt8]], [SignedRecord]) = ([:], [])
    for entry in locator.entries {
      for number in entry.records {
        let data = try card.answer(CommandAPDU.readRecord(number, sfi: entry.sfi)).data
        if number - entry.records.lowerBound < entry.authenticatedCount {
          signed.append(SignedRecord(sfi: entry.sfi, data: data))
        }
        for node in try [TLVNode](parsing: data.span)[0].children { objects[node.tag] = node.value }
      }
    }
    #expect(signed.count == 1)
    let date = try #require(TransactionDate("2026-11-25"))
    let issuer = try IssuerCertificate(in: objects, provider: provider, authorities: [key], at: date)
    let staticData = try StaticData.joined(
      signed, tagList: objects[0x9F4A], interchangeProfile: option(.applicationInterchangeProfile))
    return try CardCertificate(in: objects, issuer: issuer, staticData: staticData, at: date)
  }
}

@Suite("A card that signs")
struct SigningCardTests {
  private static func options(_ data: [UInt8]) throws -> [TLVNode] { try [TLVNode](parsing: data.span)[0].children }

  /// Tag 9F66, the amount, the type of the cryptogram, the format of the signature.
  @Test(arguments: [
    ("36004000", "000000001234", CryptogramType.tc), ("36004000", "000000005000", .tc),
    ("36004000", "000000005001", .arqc), ("36804000", "000000001234", .arqc),
  ])
  func `a Visa card signs each cryptogram, and approves up to its limit where the terminal lets it`(
    _ qualifiers: String, _ amount: String, _ type: CryptogramType
  ) throws {
    let image = try shippedImage("visa-fdda")
    var card = try SigningCard.armed(image)
    let name = image.applications[0].aid.octets
    _ = try card.answer(CommandAPDU.select(name: name))
    var values = Terminal.values
    values[.terminalTransactionQualifiers] = try [UInt8](hex: qualifiers)
    values[.amountAuthorised] = try [UInt8](hex: amount)
    let list = image.applications[0].pdol.values { values[$0] }
    let command = try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(list.count)] + list, expectedLength: 256)
    let response = try card.answer(command)
    #expect(response.status.isOK && response.data.count <= 256)
    let options = try Self.options(response.data)
    func value(_ tag: ISO7816.Tag) throws -> [UInt8] { try #require(options.first { $0.tag == tag }?.value) }
    #expect(try value(.cryptogramInformationData) == [type.cryptogramInformationData])
    #expect(try value(.issuerApplicationData)[4] & 0x30 == (type == .tc ? 0x10 : 0x20))
    let related = try value(0x9F69)
    #expect(try related[0] == 1 && related[5...].elementsEqual(value(.cardTransactionQualifiers)))
    let covered = try Terminal.number + [UInt8](hex: amount) + [0x09, 0x78] + related
    let certificate = try SigningCard.certificate(&card, options, image)
    let signed = try SignedDynamicData(
      value(0x9F4B), type == .tc ? .standard : .fast, card: certificate, terminalData: covered)
    #expect(signed.content == [2, 0, 1])
    #expect(card.phase == .completed && card.record?.kind == .applicationCryptogram(type))
  }

  /// P1, whether relay resistance data were exchanged, the bytes of the wallet, the amount.
  @Test(arguments: [
    (UInt8(0x90), false, "", CryptogramType.arqc), (0x90, true, "", .arqc), (0x50, true, "", .tc),
    (0x50, false, "01", .tc),
    (0x90, true, "0102030405060708090A0B0C0D0E", .arqc),
  ])
  func `a Mastercard card signs the cryptogram with the payment and the relay resistance data`(
    _ p1: UInt8, _ hasRelay: Bool, _ walletData: String, _ type: CryptogramType
  ) throws {
    let image = try shippedImage("mastercard-cda")
    var card = try SigningCard.armed(image, walletData: [UInt8](hex: walletData))
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    let optionsData = try card.answer(Terminal.options(for: application.pdol)).data
    let options = [
      TLVNode(.applicationInterchangeProfile, Array(optionsData[2..<4])),
      TLVNode(.applicationFileLocator, Array(optionsData[4...])),
    ]
    var relay: [UInt8]?
    if hasRelay {
      // The last exchange counts.
      for number in [[1, 2, 3, 4], [0x52, 0xBF, 0x45, 0x85]] as [[UInt8]] {
        let answer = try card.answer(
          CommandAPDU(cla: 0x80, ins: 0xEA, p1: 0, p2: 0, data: number, expectedLength: 256)
        ).data
        relay = number + answer.dropFirst(2)
      }
    }
    let certificate = try SigningCard.certificate(&card, options, image)
    let command = try Terminal.generate(#require(application.cdol1), p1)
    let response = try card.answer(command)
    #expect(response.status.isOK)
    let objects = try Self.options(response.data)
    #expect(objects.map(\.tag) == [0x9F27, 0x9F36, 0x9F4B, 0x9F10])
    let signed = try SignedDynamicData(
      objects[2].value, card: certificate, terminalData: Terminal.number)
    let transaction = CombinedData.transactionData(
      options: [], riskManagement: command.data,
      response: (objects[...1] + objects[3...]).map(\.encoded).flatMap(\.self))
    let combined = try CombinedData(
      signed, cryptogramInformation: type.cryptogramInformationData, transactionData: transaction, relayData: relay)
    #expect(card.record?.cryptogram.bigEndianOctets == combined.cryptogram)
    #expect(card.record?.kind == .applicationCryptogram(type) && card.phase == .completed)
    #expect(signed.content.count == (hasRelay ? 46 : 32))
    #expect(objects[3].value.hex.hasSuffix(walletData))
  }

  @Test(arguments: [UInt8(0x00), 0x10, 0x40, 0x80])
  func `without a request for a signature, and for an AAC, tag 9F26 comes as before`(_ p1: UInt8) throws {
    let image = try shippedImage("mastercard-cda")
    var card = try SigningCard.armed(image)
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    _ = try card.answer(Terminal.options(for: application.pdol))
    let response = try card.answer(Terminal.generate(#require(application.cdol1), p1))
    #expect(response.data.count < 60 && response.data[0] == 0x80)
    #expect(response.data[2] == (p1 & 0xC0))
  }

  @Test func `a card without certificates refuses a request for a signature`() throws {
    let image = try shippedImage("mastercard-cvn21")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    _ = try card.answer(Terminal.options(for: image.applications[0].pdol))
    for p1 in [UInt8(0x10), 0x50, 0x90] {
      let response = try card.answer(Terminal.generate(#require(image.applications[0].cdol1), p1))
      #expect(response.status == .incorrectParameters)
    }
  }

  /// A prime in which one bit is wrong makes a key whose signatures its own public key does not confirm, like a fault.
  @Test(arguments: ["visa-fdda", "mastercard-cda"])
  func `a signature that fails its check is not sent: 6F00, and the use is spent`(_ name: String) throws {
    let faulty = try FaultyKey.image(name)
    let application = faulty.applications[0]
    var card = Card(image: faulty)
    card.arm(try arming(for: faulty, signingKey: FaultyKey.key()))
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    var response = try card.answer(Terminal.options(for: application.pdol))
    if name == "mastercard-cda" {
      response = try card.answer(Terminal.generate(#require(application.cdol1), 0x90))
    }
    #expect(response.status.rawValue == 0x6F00 && response.data.isEmpty)
    #expect(!card.isArmed && card.phase == .engaged)
    #expect(card.record?.transactionCounter == application.firstATC && card.record?.isComplete == false)
  }
}

/// A shipped card with a certificate for a faulty key.
enum FaultyKey {
  static func key() throws -> RSASigningKey {
    let right = RSASigningKey.derived(count: 112, from: Secret(copying: [7]))
    let primes = right.exposedPrimes()
    var octets = primes.withExposedOctets { $0.array }
    octets[54] ^= 0x40
    guard let key = RSASigningKey(primes: Secret(copying: octets), exponent: [1, 0, 1]) else { throw Failure.noKey }
    return key
  }

  enum Failure: Error {
    case noKey
  }

  /// - Parameter change: A further change of the profile, without effect on the signed record.
  static func image(_ name: String, _ change: (inout CardProfile) throws -> Void = { _ in }) throws -> CardImage {
    var profile = try CardProfile(json: #require(shippedImage(name).json))
    let image = try shippedImage(name)
    let application = image.applications[0]
    let certificate = NewCertificate.card(
      accountNumber: application.accountNumber, expiry: try #require(TransactionDate("2030-12-31")),
      serialNumber: [0, 0, 2])
    let record = try #require(profile.applications[0].records.first { $0.isSigned == true })
    let nodes = try record.data.map { text in
      let parts = text.split(separator: " ")
      return TLVNode(
        ISO7816.Tag(rawValue: try #require(UInt32(parts[0], radix: 16))), try [UInt8](hex: String(parts[1])))
    }
    let staticData = try nodes.encoded + [UInt8](hex: profile.applications[0].aip)
    let issuer = try ShippedIssuer.key()
    let signed = certificate.signed(try key().publicKey, covering: staticData, by: issuer)
    guard let signed else { throw Failure.noKey }
    let last = profile.applications[0].records.count - 1
    profile.applications[0].records[last].data = [
      "9F46 \(signed.certificate.hex)", "9F47 010001", "9F48 \(signed.remainder.hex)",
    ]
    try change(&profile)
    return try CardImage(compiling: profile)
  }
}

/// The issuer of the test authority, by its public primes.
enum ShippedIssuer {
  static func key() throws -> RSASigningKey {
    let file = try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/verified/test_primes.json")))
    func prime(_ name: String) throws -> [UInt8] { try [UInt8](hex: #require(file["issuer"]?[name]?.text)) }
    let (p, q) = (try prime("p"), try prime("q"))
    guard let key = RSASigningKey(p: Secret(copying: p), q: Secret(copying: q)) else { throw FaultyKey.Failure.noKey }
    return key
  }
}

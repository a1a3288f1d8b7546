import EMVCard
import EMVCryptography
import EMVData
import ISO7816
import JSON
import Octets
import Testing

@Suite("A card takes its issuer's response")
struct IssuerResponseTests {
  /// The card, and whether it takes EXTERNAL AUTHENTICATE: the certificate of the last one covers its tag 82.
  static let cards = [
    ("mastercard-cvn16", true), ("mastercard-cvn16", false), ("mastercard-cvn21", true), ("mastercard-cvn21", false),
    ("mastercard-cda", false),
  ]

  /// The second cryptogram as the issuer computes it.
  private static func expected(
    _ image: CardImage, _ issuerData: [UInt8], _ record: TransactionRecord
  ) throws -> UInt64 {
    let application = image.applications[0]
    var values = Terminal.values
    values[.terminalVerificationResults] = [0, 0, 0, 0, 0]
    values[.applicationTransactionCounter] = record.transactionCounter.bigEndianOctets
    values[.applicationInterchangeProfile] = try image.interchangeProfile()
    let version = application.cryptogramVersion
    let key = try version.cryptogramKey(
      masterKey: masterKey(application, .applicationCryptogram), atc: record.transactionCounter,
      unpredictableNumber: Terminal.number.reduce(0) { $0 << 8 | UInt32($1) })
    let data = version.elements.flatMap { values[$0] ?? [] }
    return try version.cryptogram(over: data + #require(version.coveredIssuerData(of: issuerData)), key: key)
  }

  @Test(arguments: cards)
  func `an authenticated issuer gets the second cryptogram that the terminal asks for, with the key of the first`(
    _ name: String, _ external: Bool
  ) throws {
    for (p1, type) in [(UInt8(0x40), CryptogramType.tc), (0x00, .aac)] {
      let image = try IssuerCard.mastercard(name, external: external)
      var card = try IssuerCard.afterRequest(image)
      #expect(card.phase == .awaitingIssuer && card.record?.isComplete == true)
      let data = try IssuerCard.authenticationData(card, image)
      if external {
        #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .ok)
        #expect(card.phase == .awaitingIssuer)
      }
      let response = try card.answer(IssuerCard.second(external ? [] : data, p1))
      let given = try MastercardPaymentTests.cryptogram(response)
      #expect(given.information == type.cryptogramInformationData)
      let found = card.record
      let record = try #require(found)
      let issuer = try #require(record.issuer)
      #expect(issuer.authentication == .successful && issuer.second?.type == type)
      #expect(record.kind == .applicationCryptogram(.arqc) && card.phase == .completed)
      #expect(issuer.second?.cryptogram.bigEndianOctets.hex == given.value)
      #expect(given.issuerData[2] & 0xF0 == (type == .tc ? 0x60 : 0x20))
      #expect(try Self.expected(image, given.issuerData, record).bigEndianOctets.hex == given.value)
      #expect(try card.answer(IssuerCard.second(external ? [] : data, p1)).status == .conditionsNotSatisfied)
    }
  }

  @Test(arguments: cards)
  func `each wrong byte of tag 91 leads to an AAC`(_ name: String, _ external: Bool) throws {
    let image = try IssuerCard.mastercard(name, external: external)
    for position in 0..<10 {
      var card = try IssuerCard.afterRequest(image)
      var data = try IssuerCard.authenticationData(card, image)
      data[position] ^= 0x01
      if external { #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status.rawValue == 0x6300) }
      let response = try card.answer(IssuerCard.second(external ? [] : data))
      #expect(try MastercardPaymentTests.cryptogram(response).information == 0x00, "\(position)")
      #expect(card.record?.issuer?.authentication == .failed && card.record?.issuer?.second?.type == .aac)
    }
  }

  /// Commands before and after the cryptogram, and their status words.
  @Test func `EXTERNAL AUTHENTICATE comes once, after an ARQC, with 8 to 16 bytes`() throws {
    let image = try IssuerCard.mastercard()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    let application = image.applications[0]
    let ten = [UInt8](repeating: 1, count: 10)
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    #expect(try card.answer(IssuerCard.externalAuthenticate(ten)).status == .conditionsNotSatisfied)
    _ = try card.answer(Terminal.options(for: application.pdol))
    #expect(try card.answer(IssuerCard.externalAuthenticate(ten)).status == .conditionsNotSatisfied)
    _ = try card.answer(Terminal.generate(#require(application.cdol1)))
    for count in [1, 7, 17] {
      let data = [UInt8](repeating: 1, count: count)
      #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .wrongLength)
    }
    #expect(try card.answer("008201000A" + ten.hex) == "6A86")
    let right = try IssuerCard.authenticationData(card, image)
    #expect(try card.answer(IssuerCard.externalAuthenticate(right)).status == .ok)
    for data in [right, [1]] {
      #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .conditionsNotSatisfied)
    }
  }

  @Test func `a second GENERATE AC that asks for an ARQC or has another length is refused`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    #expect(try card.answer(IssuerCard.second([], 0x80)).status == .incorrectParameters)
    #expect(try card.answer(Terminal.generate(#require(image.applications[0].cdol1), 0x40)).status == .wrongLength)
    let response = try card.answer(IssuerCard.second([]))
    #expect(try MastercardPaymentTests.cryptogram(response).information == 0x00)
  }

  @Test func `no AAC or TC of a first GENERATE AC is followed by a second`() throws {
    let image = try IssuerCard.mastercard()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    try IssuerCard.request(&card, image, 0x00)
    #expect(card.phase == .completed)
    #expect(try card.answer(IssuerCard.second([])).status == .conditionsNotSatisfied)
  }

  @Test func `a terminal that brings no response gets a TC only where the card approves by itself`() throws {
    for (limit, type) in [(1, CryptogramType.tc), (0, .aac)] {
      let image = try IssuerCard.mastercard("mastercard-cda", external: false, offline: [("count", .init(limit))])
      var card = try IssuerCard.afterRequest(image)
      _ = try card.answer(IssuerCard.second([]))
      let foundissuer = card.record?.issuer
      let issuer = try #require(foundissuer)
      #expect(issuer.authentication == .notPerformed && issuer.second?.type == type)
      #expect(card.record?.offline == (type == .tc ? .approved(1234) : OfflineOutcome.none))
    }
  }

  @Test func `the signature of a second cryptogram covers the values of both lists`() throws {
    let image = try IssuerCard.mastercard("mastercard-cda", external: false)
    var card = Card(image: image, random: SeededRandomSource(seed: 1))
    card.arm(try arming(for: image))
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    let optionsData = try card.answer(Terminal.options(for: application.pdol)).data
    let options = [
      TLVNode(.applicationInterchangeProfile, Array(optionsData[2..<4])),
      TLVNode(.applicationFileLocator, Array(optionsData[4...])),
    ]
    let certificate = try SigningCard.certificate(&card, options, image)
    let first = try Terminal.generate(#require(application.cdol1), 0x90)
    _ = try card.answer(first)
    let data = try IssuerCard.authenticationData(card, image)
    let second = try IssuerCard.second(data, 0x50)
    let response = try card.answer(second)
    let objects = try [TLVNode](parsing: response.data.span)[0].children
    #expect(objects.map(\.tag) == [0x9F27, 0x9F36, 0x9F4B, 0x9F10])
    let signed = try SignedDynamicData(objects[2].value, card: certificate, terminalData: Terminal.number)
    let transaction = CombinedData.transactionData(
      options: [], riskManagement: first.data + second.data,
      response: (objects[...1] + objects[3...]).map(\.encoded).flatMap(\.self))
    let combined = try CombinedData(signed, cryptogramInformation: 0x40, transactionData: transaction)
    let record = card.record
    #expect(record?.issuer?.second?.cryptogram.bigEndianOctets == combined.cryptogram)
  }

  @Test func `a Visa card takes its issuer's response in a second presentment`() throws {
    let image = try IssuerCard.visa()
    var card = Card(image: image)
    card.arm(try arming(for: image))
    let first = try IssuerCard.request(&card, image)
    let options = try [TLVNode](parsing: first.data.span)[0].children
    let locator = try ApplicationFileLocator(parsing: #require(options.first(.applicationFileLocator)?.value))
    for entry in locator.entries {
      for number in entry.records { _ = try card.answer(CommandAPDU.readRecord(number, sfi: entry.sfi)) }
    }
    #expect(card.phase == .awaitingIssuer)
    let data = try IssuerCard.authenticationData(card, image)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Terminal.options(for: image.applications[0].pdol)).status == .conditionsNotSatisfied)
    #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .ok)
    #expect(card.phase == .completed && card.record?.issuer?.authentication == .successful)
  }

  @Test func `no GET PROCESSING OPTIONS begins another payment while the card awaits its issuer`() throws {
    let image = try IssuerCard.mastercard()
    var card = try IssuerCard.afterRequest(image)
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(Terminal.options(for: image.applications[0].pdol)).status == .conditionsNotSatisfied)
    // The keys go with the field.
    let data = try IssuerCard.authenticationData(card, image)
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    _ = try card.answer(CommandAPDU.select(name: image.applications[0].aid.octets))
    #expect(try card.answer(IssuerCard.externalAuthenticate(data)).status == .conditionsNotSatisfied)
  }

  @Test func `a list whose signature could pass for that of kernel 3 is refused, and one without tag 9F37`() throws {
    for (list, reason) in [
      ("9F37049F02065F2A029F6907", "asks for 19 bytes"), ("9F0206", "does not ask for tag 9F37 with 4 bytes"),
    ] {
      #expect {
        try IssuerCard.mastercard("mastercard-cda", external: false, further: ["9F49 \(list)"], scripts: false)
      } throws: {
        "\($0)".contains(reason)
      }
    }
  }

  @Test func `INTERNAL AUTHENTICATE signs the terminal's values and spends no use`() throws {
    let image = try IssuerCard.mastercard("mastercard-cda", external: false, further: ["9F49 9F3704"], scripts: false)
    let command = try CommandAPDU(
      cla: 0x00, ins: 0x88, p1: 0, p2: 0, data: Terminal.number, expectedLength: 256)
    var card = Card(image: image)
    let application = image.applications[0]
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    _ = try card.answer(Terminal.options(for: application.pdol))
    #expect(try card.answer(command).status == .conditionsNotSatisfied)
    card.arm(try arming(for: image))
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    #expect(try card.answer(command).status == .conditionsNotSatisfied)
    let optionsData = try card.answer(Terminal.options(for: application.pdol)).data
    let options = [
      TLVNode(.applicationInterchangeProfile, Array(optionsData[2..<4])),
      TLVNode(.applicationFileLocator, Array(optionsData[4...])),
    ]
    let response = try card.answer(command)
    let node = try [TLVNode](parsing: response.data.span)[0]
    let certificate = try SigningCard.certificate(&card, options, image)
    let signed = try SignedDynamicData(node.children[0].value, card: certificate, terminalData: Terminal.number)
    #expect(signed.content == [2, 0, 1] && card.isArmed)
    #expect(try card.answer("008800000152") == "6700")
    #expect(try card.answer("0088000005" + Terminal.number.hex + "0000") == "6700")
    #expect(try card.answer("0088000104" + Terminal.number.hex + "00") == "6A86")
  }

  /// A card with INTERNAL AUTHENTICATE.
  private static func signingImage(applications: Int = 1) throws -> CardImage {
    let image = try IssuerCard.mastercard("mastercard-cda", external: false, further: ["9F49 9F3704"], scripts: false)
    var profile = try CardProfile(json: #require(image.json))
    for number in 1..<applications {
      profile.applications.append(profile.applications[0])
      profile.applications[number].aid += String(repeating: "0", count: 2 * number - 1) + "1"
    }
    return try CardImage(json: profile.json)
  }

  /// Selects an application and sends its options.
  private static func begin(_ card: inout Card, _ application: CardImage.Application) throws {
    _ = try card.answer(CommandAPDU.select(name: application.aid.octets))
    _ = try card.answer(Terminal.options(for: application.pdol))
  }

  private static func authenticate(_ number: UInt32, _ card: inout Card) throws -> ResponseAPDU {
    try card.answer(
      CommandAPDU(
        cla: 0x00, ins: 0x88, p1: 0, p2: 0,
        data: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }, expectedLength: 256))
  }

  @Test func `a dynamic number gets one signature: the same values get it again, and others 6985`() throws {
    let image = try Self.signingImage()
    var card = try SigningCard.armed(image)
    try Self.begin(&card, image.applications[0])
    let first = try Self.authenticate(0, &card)
    #expect(first.status == .ok)
    for number in 1..<700 as Range<UInt32> {
      #expect(try Self.authenticate(number, &card).status == .conditionsNotSatisfied)
    }
    #expect(try Self.authenticate(0, &card) == first)
    // Another selection and another field bring no other number.
    card.fieldChanged(.lost, at: Instant(nanoseconds: 5))
    try Self.begin(&card, image.applications[0])
    #expect(try Self.authenticate(1, &card).status == .conditionsNotSatisfied)
    #expect(try Self.authenticate(0, &card) == first)
    // The use is spent, and with it the number.
    _ = try card.answer(Terminal.generate(#require(image.applications[0].cdol1)))
    for number in [0, 1] as [UInt32] {
      #expect(try Self.authenticate(number, &card).status == .conditionsNotSatisfied)
    }
    // The next arming brings another number.
    card.fieldChanged(.lost, at: Instant(nanoseconds: 6))
    card.arm(try arming(for: image, counters: [2]))
    try Self.begin(&card, image.applications[0])
    let second = try Self.authenticate(1, &card)
    #expect(second.status == .ok && second != first)
  }

  /// The counters of two applications, and the status of the second one's signature.
  @Test(arguments: [([1, 2] as [UInt16], StatusWord.ok), ([1, 1], .conditionsNotSatisfied)])
  func `applications with equal counters share one signature`(_ counters: [UInt16], _ status: StatusWord) throws {
    let image = try Self.signingImage(applications: 2)
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: counters))
    try Self.begin(&card, image.applications[1])
    #expect(try Self.authenticate(7, &card).status == .ok)
    try Self.begin(&card, image.applications[0])
    #expect(try Self.authenticate(8, &card).status == status)
  }

  @Test func `an expired verification, a further use of another application and a wrong signature allow none`() throws {
    let image = try Self.signingImage(applications: 2)
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: [1, 1], application: 1))
    try Self.begin(&card, image.applications[0])
    #expect(try Self.authenticate(7, &card).status == .conditionsNotSatisfied)
    #expect(card.refusal == .differentApplication && card.isArmed)
    try Self.begin(&card, image.applications[1])
    #expect(try Self.authenticate(7, &card).status == .ok)
    var expired = Card(image: image)
    expired.arm(try arming(for: image, deadline: Instant(nanoseconds: -1), counters: [1, 1]))
    try Self.begin(&expired, image.applications[0])
    #expect(try Self.authenticate(7, &expired).status == .conditionsNotSatisfied)
    #expect(expired.refusal == .verificationExpired)
  }

  @Test func `a number whose signature has failed its check gets no other`() throws {
    let image = try FaultyKey.image("mastercard-cda") { profile in
      let record = try #require(profile.applications[0].records.firstIndex { $0.isSigned != true })
      profile.applications[0].records[record].data += ["9F49 9F3704"]
    }
    var card = Card(image: image)
    card.arm(try arming(for: image, signingKey: FaultyKey.key()))
    try Self.begin(&card, image.applications[0])
    #expect(try Self.authenticate(7, &card).status.rawValue == 0x6F00)
    for number in [7, 8] as [UInt32] {
      #expect(try Self.authenticate(number, &card).status == .conditionsNotSatisfied)
    }
  }
}

extension CardImage {
  /// Tag 82 of the first application, as its profile has it.
  func interchangeProfile() throws -> [UInt8] {
    try [UInt8](hex: CardProfile(json: #require(json)).applications[0].aip)
  }
}

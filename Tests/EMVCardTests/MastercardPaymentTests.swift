import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

@Suite("Mastercard EMV mode")
struct MastercardPaymentTests {
  /// Selects an application and asks for its options.
  static func begin(_ card: inout Card, _ application: CardImage.Application) throws -> [TLVNode] {
    #expect(try card.answer(.select(name: application.aid.octets)).status == .ok)
    let options = try card.answer(Terminal.options(for: application.pdol))
    #expect(options.status == .ok)
    return try [TLVNode](parsing: options.data.span, rules: .strict)
  }

  /// Tags 82 and 94, from either format.
  static func options(_ nodes: [TLVNode]) throws -> (profile: [UInt8], locator: ApplicationFileLocator) {
    let answer = try #require(nodes.first)
    if answer.tag == .responseFormat1 {
      return (Array(answer.value.prefix(2)), try ApplicationFileLocator(parsing: Array(answer.value.dropFirst(2))))
    }
    let profile = try #require(nodes.first(.applicationInterchangeProfile)?.value)
    return (profile, try ApplicationFileLocator(parsing: #require(nodes.first(.applicationFileLocator)?.value)))
  }

  /// The response to GENERATE AC, from either format: 9F27, 9F36, 9F26, 9F10.
  static func cryptogram(
    _ answer: ResponseAPDU
  ) throws -> (information: UInt8, counter: [UInt8], value: String, issuerData: [UInt8]) {
    #expect(answer.status == .ok)
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    if let value = nodes.first?.value, nodes.first?.tag == .responseFormat1 {
      return (value[0], Array(value[1..<3]), Array(value[3..<11]).hex, Array(value[11...]))
    }
    return (
      try #require(nodes.first(.cryptogramInformationData)?.value.first),
      try #require(nodes.first(.applicationTransactionCounter)?.value),
      try #require(nodes.first(.applicationCryptogram)?.value.hex),
      try #require(nodes.first(.issuerApplicationData)?.value)
    )
  }

  /// Computed from the terminal's values and the card's responses alone, as an issuer does.
  static func expected(
    _ application: CardImage.Application, _ profile: [UInt8], _ counter: [UInt8], _ issuerData: [UInt8]
  ) throws -> String {
    let version = application.cryptogramVersion
    let data = try version.elements.flatMap { tag in
      switch tag {
      case .applicationInterchangeProfile: profile
      case .applicationTransactionCounter: counter
      default: try #require(Terminal.values[tag])
      }
    }
    let covered = try #require(version.coveredIssuerData(of: issuerData))
    let key = version.cryptogramKey(
      masterKey: try masterKey(application, .applicationCryptogram),
      atc: UInt16(counter[0]) << 8 | UInt16(counter[1]), unpredictableNumber: 0x52BF_4585)
    return version.cryptogram(over: data + covered, key: key).hex
  }

  static let paying = [
    ("mastercard-cvn16", 0), ("mastercard-cvn21", 0), ("co-badged", 1), ("amex-mobile", 0),
    ("amex-magstripe", 0), ("jcb-mobile", 0),
  ]

  @Test(arguments: paying)
  func `an armed card gives the right ARQC and says that the cardholder was verified`(
    _ name: String, _ index: Int
  ) throws {
    let image = try shippedImage(name)
    let application = image.applications[index]
    var card = Card(image: image)
    card.arm(try arming(for: image))
    let (profile, locator) = try Self.options(Self.begin(&card, application))
    for entry in locator.records {
      #expect(try card.answer(.readRecord(entry.record, sfi: entry.sfi)).status == .ok)
    }
    #expect(card.phase == .engaged)
    let list = try #require(application.cdol1)
    let answer = try Self.cryptogram(card.answer(Terminal.generate(list)))
    #expect(answer.information == 0x80)
    #expect(answer.counter == [0, 1])
    #expect(answer.value == (try Self.expected(application, profile, answer.counter, answer.issuerData)))
    let isCommonCore = application.cryptogramVersion == .commonCore5
    #expect(answer.issuerData.count == (isCommonCore ? 32 : 18))
    let results = isCommonCore ? Array(answer.issuerData[3..<8]) : Array(answer.issuerData[2..<8])
    #expect(results.hex == (isCommonCore ? "A008000000" : "A50000000000"))
    #expect(card.phase == .completed)
    #expect(card.isArmed == false)
    let kept = card.record
    let record = try #require(kept)
    #expect(record.application == index)
    #expect(record.isComplete)
    #expect(record.cryptogram.hex == answer.value)
    #expect(record.kind == .applicationCryptogram(.arqc))
    #expect(record.terminalValue(of: .amountAuthorised) == Terminal.values[.amountAuthorised])
    #expect(record.terminalValue(of: .cvmResults) == [1, 0, 2])
    #expect(record.terminalValue(of: .acquirer) == nil)
  }

  @Test(arguments: [0, 1])
  func
    `what a computation rests on stays in the record, whatever is sent to another application of the card afterwards`(
      _ index: Int
    ) throws
  {
    let image = try shippedImage("co-badged")
    let (paying, other) = (image.applications[index], image.applications[1 - index])
    var card = Card(image: image)
    card.arm(try arming(for: image))
    #expect(try card.answer(.select(name: paying.aid.octets)).status == .ok)
    #expect(try card.answer(Terminal.options(for: paying.pdol)).status == .ok)
    if let list = paying.cdol1 { #expect(try card.answer(Terminal.generate(list)).status == .ok) }
    let kept = card.record
    let before = try #require(kept)
    #expect(try card.answer(.select(name: other.aid.octets)).status == .ok)
    let values = [UInt8](repeating: 0xEE, count: other.pdol.valueCount)
    let options = try CommandAPDU(
      cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256)
    // The Visa application refuses; an unarmed Mastercard application gives its options and its records.
    _ = try card.answer(options)
    for sfi in UInt8(1)...10 { for record in UInt8(1)...4 { _ = try card.answer(.readRecord(record, sfi: sfi)) } }
    let left = card.record
    let after = try #require(left)
    #expect(after == before)
    for entry in after.terminalList.entries {
      #expect(after.terminalValue(of: entry.tag) == before.terminalValue(of: entry.tag))
    }
    #expect(after.terminalValue(of: .amountAuthorised) == Terminal.values[.amountAuthorised])
  }

  @Test(arguments: [(UInt8(0x80), UInt8(0x80), "A5"), (0x40, 0x80, "A5"), (0x00, 0x00, "85")])
  func `a request to approve or go online gets an ARQC, a decline an AAC; each spends a use`(
    _ asked: UInt8, _ given: UInt8, _ results: String
  ) throws {
    for name in ["mastercard-cvn16", "mastercard-cvn21"] {
      let image = try shippedImage(name)
      let application = image.applications[0]
      var card = Card(image: image)
      card.arm(try arming(for: image))
      let (profile, _) = try Self.options(Self.begin(&card, application))
      let answer = try Self.cryptogram(card.answer(Terminal.generate(application.cdol1!, asked)))
      #expect(answer.information == given)
      #expect(answer.issuerData[2..<3].hex == results)
      #expect(answer.value == (try Self.expected(application, profile, answer.counter, answer.issuerData)))
      #expect(card.isArmed == false)
      #expect(try card.answer(Terminal.generate(application.cdol1!)).status == .conditionsNotSatisfied)
      let record = card.record
      #expect(record?.kind == .applicationCryptogram(given == 0 ? .aac : .arqc))
    }
  }

  @Test(arguments: [16, 17, 20, 21])
  func `every Mastercard version makes the issuer's cryptogram`(_ number: Int) throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn16.json")))
    profile.applications[0].cryptogram.version = number
    profile.applications[0].cryptogram.further = "ABCD0102030405060708"
    let image = try CardImage(compiling: profile)
    let application = image.applications[0]
    #expect(application.cryptogramVersion == .numbered(UInt8(number), of: .mastercard))
    var card = Card(image: image)
    card.arm(try arming(for: image, counters: [0xFF01]))
    let (interchange, _) = try Self.options(Self.begin(&card, application))
    let answer = try Self.cryptogram(card.answer(Terminal.generate(application.cdol1!)))
    #expect(answer.counter == [0xFF, 0x01])
    #expect(answer.issuerData.hex == "01\(UInt8(number).hex)A50000000000ABCD0102030405060708")
    #expect(answer.value == (try Self.expected(application, interchange, answer.counter, answer.issuerData)))
  }

  @Test
  func `wallet data of at most 14 bytes end tag 9F10, and the cryptogram does not cover them`()
    throws
  {
    for name in ["mastercard-cvn16", "mastercard-cvn21"] {
      let image = try shippedImage(name)
      let application = image.applications[0]
      var values: Set<String> = []
      for count in [0, 1, Arming.maximumWalletDataCount] {
        let data = (0..<count).map { UInt8(0xE0 + $0) }
        var card = Card(image: image)
        card.arm(try arming(for: image, walletData: data))
        _ = try Self.begin(&card, application)
        let answer = try Self.cryptogram(card.answer(Terminal.generate(application.cdol1!)))
        #expect(answer.issuerData.count == 18 + count)
        #expect(Array(answer.issuerData.dropFirst(18)) == data)
        values.insert(answer.value)
      }
      #expect(values.count == 1)
    }
  }

  @Test func `common core issuer data get no wallet data`() throws {
    let image = try shippedImage("amex-mobile")
    var card = Card(image: image)
    card.arm(try arming(for: image, walletData: [1, 2, 3]))
    _ = try Self.begin(&card, image.applications[0])
    let answer = try Self.cryptogram(card.answer(Terminal.generate(image.applications[0].cdol1!)))
    #expect(CommonCoreIssuerApplicationData(answer.issuerData)?.cardVerificationResults.hex == "A008000000")
  }

  @Test
  func `each arming makes another cryptogram with its own counter`()
    throws
  {
    let image = try shippedImage("mastercard-cvn16")
    let application = image.applications[0]
    var card = Card(image: image)
    var values: [String] = []
    for counter in [UInt16(7), 8] {
      card.fieldChanged(.powered, at: Instant(nanoseconds: 0))
      card.arm(try arming(for: image, counters: [counter]))
      let (profile, _) = try Self.options(Self.begin(&card, application))
      let answer = try Self.cryptogram(card.answer(Terminal.generate(application.cdol1!)))
      #expect(answer.value == (try Self.expected(application, profile, [0, UInt8(counter)], answer.issuerData)))
      values.append(answer.value)
      card.fieldChanged(.lost, at: Instant(nanoseconds: 0))
    }
    #expect(values[0] != values[1])
  }

  @Test func `formats 1 and 2 give the same data; the AFL begins with the record of mag-stripe mode`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn16.json")))
    var seen: [String] = []
    for format in [1, 2] {
      profile.applications[0].schemeKeys["optionsFormat"] = JSONValue(format)
      profile.applications[0].schemeKeys["cryptogramFormat"] = JSONValue(format)
      let image = try CardImage(compiling: profile)
      var card = Card(image: image)
      card.arm(try arming(for: image))
      let nodes = try Self.begin(&card, image.applications[0])
      #expect(nodes.first?.tag == (format == 1 ? .responseFormat1 : .responseFormat2))
      let (interchange, locator) = try Self.options(nodes)
      #expect(interchange == [0x1A, 0x80])
      #expect(locator.encoded.hex == "0801010010010200")
      let answer = try Self.cryptogram(card.answer(Terminal.generate(image.applications[0].cdol1!)))
      seen.append("\(answer)")
    }
    #expect(seen[0] == seen[1])
  }
}

extension ISO7816.Tag {
  fileprivate static let acquirer: ISO7816.Tag = 0x9F01
}

import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("A Mastercard card pays in EMV mode")
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

  /// The answer to GENERATE AC, from either format: 9F27, 9F36, 9F26, 9F10.
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

  /// Put together from terminal's values and the card's answers alone, as an issuer does.
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
  ]

  @Test("armed, it gives an ARQC with the right cryptogram and says that its holder was verified", arguments: paying)
  func pays(_ name: String, _ index: Int) throws {
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
}

extension ISO7816.Tag {
  fileprivate static let acquirer: ISO7816.Tag = 0x9F01
}

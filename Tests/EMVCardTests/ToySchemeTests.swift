import Ciphers
import Documents
import EMVCard
import EMVCryptography
import EMVData
import Fixtures
import ISO7816
import JSON
import Octets
import Testing

/// A scheme that is not in this engine, with a key, a command and a cryptogram version of its own.
extension CardScheme {
  fileprivate static let toy = CardScheme("toy", kernelIdentifier: [0x2D], keys: [greeting]) { application, image in
    let greeting = Array((application.text(Self.greeting) ?? "").utf8)
    let keyIndex = application.object("cryptogram") { cryptogram -> UInt8 in
      _ = cryptogram.integer("version", in: 1...1)
      _ = cryptogram.octets("cvr", count: 0)
      return cryptogram.octets("derivationKeyIndex", count: 1)[0]
    }
    image.cryptogramVersion = .toy
    let options = TLVNode(
      .responseFormat2,
      [
        TLVNode(.applicationInterchangeProfile, image.interchangeProfile),
        TLVNode(.applicationFileLocator, image.locator.encoded), TLVNode(0xDF01, greeting),
      ])
    image.add(
      CommandProgram(
        0x80A8, .processingOptions, in: .selected, next: .initiated, values: image.pdol,
        answer: .init(options.encoded)))
    guard let octets = image.recordValue(of: .cdol1), let list = try? DataObjectList(parsing: octets) else {
      application.note("records", "tag 8C is missing")
      return
    }
    let issuerData: [UInt8] = [0x02, 0x01, keyIndex]
    // 77 | 9F36 | 9F26 | 9F10
    let answer: [UInt8] =
      [0x77, 0x16, 0x9F, 0x36, 0x02, 0, 0, 0x9F, 0x26, 0x08] + [UInt8](repeating: 0, count: 8) + [0x9F, 0x10, 0x03]
      + issuerData
    let plan = CryptogramPlan(
      .arqc, .toy, list, interchangeProfile: image.interchangeProfile, issuerData: issuerData)
    var program = CommandProgram(
      0x80AE, .generateCryptogram, in: .initiated, next: .answered, values: list,
      answer: .init(answer, [.transactionCounter(at: 5), .cryptogram(plan, at: 10)]))
    program.refusal = .status(.conditionsNotSatisfied)
    program.completes = true
    image.add(program)
  }

  private static let greeting = ProfileKey(
    "greeting", .text, isRequired: true, range: 1...8, help: "A word that the card gives in tag DF01.")
}

/// A cryptogram version that is not in this engine: three data elements, then all of tag 9F10.
extension CryptogramVersion {
  fileprivate static let toy = CryptogramVersion(
    .interac, number: 1, derivation: .optionA, sessionKey: .common,
    elements: [.amountAuthorised, .unpredictableNumber, .applicationTransactionCounter], issuerData: .whole,
    padding: .zeros, response: nil, scriptKey: .common, script: nil)
}

/// A scheme is one value: nothing under Sources knows the toy.
@Suite("A scheme of a test target")
struct ToySchemeTests {
  static let profile = """
    {
      "format": "contactless-card/1", "name": "A toy card",
      "applications": [{
        "aid": "F0544F5901", "label": "TOY", "priority": 1, "kernel": "toy", "pdol": "", "aip": "0000",
        "cryptogram": { "version": 1, "derivationKeyIndex": "07", "cvr": "" },
        "greeting": "hello",
        "records": [{
          "sfi": 1, "record": 1, "data": ["5A 4761739001010010", "5F34 01", "8C 9F02069F37045F2A029C01"]
        }]
      }]
    }
    """

  static func image(_ text: String = profile) throws(CardProfileError) -> CardImage {
    try CardImage(json: Array(text.utf8), schemes: CardScheme.shipped + [.toy])
  }

  @Test func `a toy scheme pays through a card with a cryptogram version of its own`() throws {
    let image = try Self.image()
    let application = image.applications[0]
    #expect(application.scheme == "toy")
    var card = Card(image: image)
    let directory = try card.answer(.select(name: FileControlInformation.ppseName))
    #expect(try FileControlInformation(parsing: directory.data).directory.map(\.kernelIdentifier) == [[0x2D]])
    card.arm(try arming(for: image))
    _ = try card.answer(.select(name: application.aid.octets))
    let options = try card.answer(Terminal.options(for: application.pdol))
    #expect(try [TLVNode](parsing: options.data.span, rules: .strict).first(0xDF01)?.value == Array("hello".utf8))
    #expect(try card.answer(.readRecord(1, sfi: 1)).status == .ok)
    let answer = try card.answer(Terminal.generate(#require(application.cdol1)))
    let nodes = try [TLVNode](parsing: answer.data.span, rules: .strict)
    // Put together from the terminal's values and the response, as an issuer does.
    let data: [UInt8] = [0, 0, 0, 0, 0x12, 0x34, 0x52, 0xBF, 0x45, 0x85, 0, 1, 0x02, 0x01, 0x07]
    let key = CryptogramVersion.toy.cryptogramKey(
      masterKey: try masterKey(application, .applicationCryptogram), atc: 1)
    let expected = CryptogramVersion.toy.cryptogram(over: data, key: key)
    #expect(nodes.first(.applicationCryptogram)?.value.hex == expected.hex)
    #expect(nodes.first(.applicationTransactionCounter)?.value == [0, 1])
    #expect(card.phase == .completed)
    let record = card.record
    #expect(record?.cryptogram == expected)
    #expect(record?.terms == PaymentTermsTests.terms)
    #expect(card.isArmed == false)
  }

  @Test func `an unarmed toy card gives the refusal of its program and stays in its stage`() throws {
    let image = try Self.image()
    let application = image.applications[0]
    let command = try Terminal.generate(#require(application.cdol1))
    var card = Card(image: image)
    _ = try card.answer(.select(name: application.aid.octets))
    #expect(try card.answer(Terminal.options(for: application.pdol)).status == .ok)
    #expect(try card.answer(command).status == .conditionsNotSatisfied)
    card.arm(try arming(for: image))
    #expect(try card.answer(command).status == .ok)
  }

  @Test func `a toy card pays beside applications of shipped schemes`() throws {
    let visa = try #require(try CardProfile(json: shippedJSON("visa-cvn18")).applications.first)
    var profile = try CardProfile(json: Array(Self.profile.utf8))
    profile.applications.append(visa)
    let image = try CardImage(compiling: profile, schemes: CardScheme.shipped + [.toy])
    for (index, application) in image.applications.enumerated() {
      var card = Card(image: image)
      card.arm(try arming(for: image))
      _ = try card.answer(.select(name: application.aid.octets))
      let options = try card.answer(Terminal.options(for: application.pdol))
      let answer = try application.cdol1.map { try card.answer(Terminal.generate($0)) } ?? options
      #expect(answer.status == .ok)
      let record = card.record
      #expect(record?.application == index)
    }
  }

  @Test func `a profile can name only the schemes of the list`() {
    let error = #expect(throws: CardProfileError.self) { try CardImage(json: Array(Self.profile.utf8)) }
    let names = CardScheme.shipped.map(\.name).joined(separator: ", ")
    #expect(
      error?.problems.map(\.description) == [
        "line 4, column 67, applications[0].kernel: \"toy\" is not one of \(names)"
      ])
  }

  @Test func `a personalisation file makes a card of the schemes of the list`() throws {
    let file = try PersonalisationFile(parsing: [UInt8](Fixtures.data("Cards/cps-visa.txt")))
    let toy = CardScheme(
      "toy", kernelIdentifier: [0x2D],
      personalisation: .init(
        provider: [0xA0, 0, 0, 0, 0x03], label: "TOY",
        cryptogram: { _ in CardProfile.Cryptogram(version: 1, derivationKeyIndex: "07", cvr: "") },
        keys: { ["greeting": JSONValue("\($0.count) objects")] }),
      compile: { _, _ in })
    let application = try #require(try PersonalisedCard(file, schemes: [toy]).profile.applications.first)
    #expect(application.kernel == "toy")
    #expect(application.cryptogram.derivationKeyIndex == "07")
    #expect(application.schemeKeys["greeting"]?.text?.hasSuffix(" objects") == true)
    let error = #expect(throws: PersonalisationError.self) { try PersonalisedCard(file, schemes: [.toy]) }
    #expect(
      error?.problems.map(\.message) == ["application A0000000031010: this engine has no scheme of this provider"])
  }

  @Test func `the problems of a scheme's keys are reported with those of the profile`() throws {
    let text = Self.profile.replacing("\"priority\": 1", with: "\"priority\": 0")
      .replacing("\"hello\"", with: "\"hello, hello\"").replacing("\"label\"", with: "\"ctq\": \"0000\", \"label\"")
    let error = #expect(throws: CardProfileError.self) { try Self.image(text) }
    #expect(
      error?.problems.map(\.path) == [
        "applications[0].ctq", "applications[0].priority", "applications[0].greeting",
      ])
  }
}

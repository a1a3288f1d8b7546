import EMVData
import EMVDecoding
import Octets
import TestSupport
import Testing
import Transcripts

/// An account number in one data element of a record, and planted in another one.
struct PlantedCard: CustomTestStringConvertible {
  static let number = "4000001234562007"
  static let name = "DOE/JOHN"
  static let written = hex(number)
  static let spaced = hex("4000 0012 3456 2007")
  static let hyphenated = hex("4000-0012-3456-2007")
  static let track = number + "D22122011438044000001F"
  static let track1 = hex("B\(number)^\(name)^2212201987654")

  static func hex(_ text: String) -> String { Array(text.utf8).hex }

  static func object(_ tag: String, _ value: String) -> String {
    tag + (value.count / 2 < 0x80 ? "" : "81") + UInt8(value.count / 2).hex + value
  }

  /// The data elements that hold the number.
  static let holders = ["5A": object("5A", number), "57": object("57", track), "56": object("56", track1)]

  /// The data elements in which the number is planted: text, binary, lists, tracks, unknown ones.
  static let tags = [
    "9F7C", "9F10", "9F6E", "57", "9F26", "9F4B", "50", "9F12", "5F50", "DF20", "C1", "DF8104", "9F7F", "9F5D", "9F69",
    "9F4D", "94", "82", "9F36", "86", "5F2D", "8C", "9F1F", "9F0B", "9F42", "84",
  ]

  /// The forms in which it is planted.
  static let forms = [
    "packed": number, "in the middle of a byte": "A" + number + "F", "among digits": "1234" + number + "567890",
    "text": written, "in groups": spaced, "with hyphens": hyphenated, "track 2": track,
    "track 1": hex("%B\(number)^\(name)^2212201987654"), "track 2 as text": hex(";\(number)=22122011438044?"),
  ]

  static var all: [PlantedCard] {
    holders.keys.sorted().flatMap { holder in
      tags.flatMap { tag in forms.keys.sorted().map { PlantedCard(holder: holder, tag: tag, form: $0) } }
    }
  }

  let holder: String
  let tag: String
  let form: String

  var testDescription: String { "\(form) in \(tag) beside \(holder)" }

  /// The record in hexadecimal, with its status word.
  var record: String {
    let content = (Self.holders[holder] ?? "") + Self.object(tag, Self.forms[form] ?? "")
    return Self.object("70", content) + "9000"
  }

  /// What no output may have.
  var secrets: [String] {
    let number = [
      Self.number, Self.written, Self.spaced, Self.hyphenated, "4000 0012 3456 2007", "4000-0012-3456-2007",
    ]
    let hasName = holder == "56" || form == "track 1"
    return number + (hasName ? [Self.name, Self.hex(Self.name)] : [])
      + (form.hasPrefix("track") ? ["1438044", Self.hex("1438044"), "987654", Self.hex("987654")] : [])
  }
}

@Suite("A number that is masked anywhere is masked everywhere")
struct PlantedNumberTests {
  @Test func `redaction, comments and decoding leave no planted account number, track or name`() throws {
    for card in PlantedCard.all {
      let exchange = Transcript.Exchange(
        command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: try [UInt8](hex: card.record),
        notes: [.comment("read \(card.record)"), .comment("of \(PlantedCard.number)")])
      let transcript = Transcript(exchanges: [exchange])
      let redacted = transcript.redacted()
      var context = DecodingContext(hiding: transcript.cardholderData)
      let decoded = context.decode(command: exchange.command, response: exchange.response ?? [])
      let guess = DecodedGuess(exchange.response ?? [])
      for secret in card.secrets {
        #expect(!redacted.text.contains(secret), "\(card.testDescription): \(redacted.text)")
        #expect(!"\(decoded.response)".contains(secret), "\(card.testDescription): \(decoded.response)")
        #expect(!"\(guess)".contains(secret), "\(card.testDescription): \(guess)")
      }
      #expect(redacted.redacted() == redacted, "\(card.testDescription)")
      #expect(redacted.exchanges[0].response?.count == exchange.response?.count)
    }
  }

  @Test func `a number of one record is masked in every other response of a recording`() throws {
    for form in PlantedCard.forms.keys.sorted() {
      let other = PlantedCard(holder: "", tag: "9F10", form: form)
      let pairs = [("00B2010C00", "700A5A08" + PlantedCard.number + "9000"), ("00B2020C00", other.record)]
      let exchanges = try pairs.map {
        Transcript.Exchange(command: try [UInt8](hex: $0.0), response: try [UInt8](hex: $0.1))
      }
      let transcript = Transcript(exchanges: exchanges)
      var context = DecodingContext(hiding: transcript.cardholderData)
      let text = exchanges.map { "\(context.decode(command: $0.command, response: $0.response ?? []).response)" }
      for secret in [PlantedCard.number, PlantedCard.written, PlantedCard.hyphenated] {
        #expect(!text.joined().contains(secret), "\(form): \(text)")
        #expect(!transcript.redacted().text.contains(secret), "\(form)")
      }
    }
  }

  @Test func `random cryptograms stay as they are, also beside an account number`() throws {
    var generator = SplitMix64(seed: 47)
    for _ in 0..<2_000 {
      let octets = (0..<12).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let (cryptogram, number, counter) = (octets[..<8].hex, octets[8..<10].hex, octets[10...].hex)
      let options =
        PlantedCard.object("9F26", cryptogram) + "9F36" + "02" + counter + "9F37" + "02" + number
        + PlantedCard.object("9F10", "06010A03A00000")
      let record = Transcript.Exchange(
        command: [0x00, 0xB2, 0x01, 0x0C, 0x00], response: try [UInt8](hex: "700A5A08\(PlantedCard.number)9000"))
      let answer = try [UInt8](hex: PlantedCard.object("77", options) + "9000")
      let options1 = Transcript.Exchange(command: [0x80, 0xA8, 0, 0, 2, 0x83, 0, 0], response: answer)
      let isNumber = AccountNumberSearch.packedNumber(Array(octets[..<8])) != nil
      let redacted = Transcript(exchanges: [record, options1]).redacted()
      #expect(redacted.exchanges[1].response?[7..<15] == answer[7..<15] || isNumber)
    }
  }

  static let strangers = [
    ("digits in an unknown data element", "70" + "0B" + "DF2008" + PlantedCard.number),
    ("a name of another application", "70" + "0B" + PlantedCard.object("5F20", PlantedCard.hex("ROE/JANE"))),
    ("an account number of a wrong form", "70" + "0A" + "5A08" + "40000012345620FA"),
    ("a track without a separator", "70" + "0A" + "5708" + PlantedCard.number),
    ("a record without a template", "5A08" + PlantedCard.number),
  ]

  @Test(arguments: strangers)
  func `a test card beside another card keeps its number, and the other card is masked`(
    _ title: String, _ record: String
  ) throws {
    let own = "70" + "0A" + "5A08" + SampleTap.pan
    let pairs =
      [("00A4040007A0000000031010", "9000"), ("00B2010C00", own + "9000")]
      + [("00A4040007A0000000041010", "9000"), ("00B2010C00", record + "9000")]
    let transcript = Transcript(
      exchanges: try pairs.map {
        Transcript.Exchange(command: try [UInt8](hex: $0.0), response: try [UInt8](hex: $0.1))
      })
    let text = transcript.text(redactedBy: Redaction { $0.exposedDigits == SampleTap.pan })
    #expect(text.contains(SampleTap.pan), "\(title)")
    for secret in [PlantedCard.number, PlantedCard.hex("ROE/JANE"), "4000001234"] {
      #expect(!text.contains(secret), "\(title): \(text)")
    }
  }
}

import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

/// Cards of personalisation files.
extension PersonalisationTests {
  // MARK: Making a card

  /// A personalisation file, the profile of the same card, and the commands of a payment.
  static let pairs: [(file: String, profile: String, payment: [String])] = [
    ("cps-visa", "visa-cvn18", ["00A4040007A000000003101000", CardCommandTests.options, "00B2010C00", "00B2011C00"]),
    (
      "cps-mastercard", "mastercard-cvn16",
      [
        "00A4040007A000000004101000", "80A8000002830000", "00B2010C00", "00B2011400", "00B2021400",
        "80AE800021" + "000000001234" + "000000000000" + "0276" + "0000000000" + "0978" + "261121" + "00" + "52BF4585"
          + "22" + "010002" + "00",
      ]
    ),
  ]

  @Test(arguments: pairs.indices)
  func `a shipped file makes the card of a shipped profile, with the same answers in a payment`(_ row: Int) throws {
    let (file, profile, payment) = Self.pairs[row]
    let octets = [UInt8](try Fixtures.data("Cards/\(file).txt"))
    let personalised = try PersonalisedCard(PersonalisationFile(parsing: octets))
    let image = try CardImage(compiling: personalised.profile)
    let known = try shippedImage(profile)
    #expect(image.name == known.name)
    #expect(image.applications[0].uses == known.applications[0].uses)
    #expect(image.applications[0].firstATC == known.applications[0].firstATC)
    var one = Card(image: image)
    var two = Card(image: known)
    one.arm(try arming(for: image))
    two.arm(try arming(for: known))
    for command in ["00A404000E325041592E5359532E444446303100"] + payment + ["80CA9F1700", "80CA9F3600"] {
      let answered = try one.answer(command)
      #expect(answered == (try two.answer(command)), "\(command)")
      #expect(answered.hasSuffix("9000"), "\(command): \(answered)")
    }
    #expect(one.phase == .completed)
  }

  @Test func `every grouping has a notice without data`() throws {
    let notices = try PersonalisedCard(PersonalisationFile(parsing: Self.shipped())).notices
    #expect(
      notices == [
        "DGI 0101, 51 bytes: SFI 1 record 1", "DGI 0301, 19 bytes: SFI 3 record 1", "DGI 0E01, 7 bytes: skipped",
        "DGI 8000, 48 bytes: skipped unread, keys come from the issuer", "DGI 9000, 9 bytes: skipped",
        "DGI 9010, 2 bytes: the PIN try counter", "DGI 9103, 89 bytes: the response to SELECT",
        "DGI 9115, 26 bytes: the response to GET PROCESSING OPTIONS",
        "DGI 9200, 10 bytes: the issuer application data",
      ])
  }

  @Test(arguments: [0x8000, 0x8010, 0x8205, 0x8FFF, 0xA006] as [UInt16])
  func `the data of a secret grouping are not kept`(_ identifier: UInt16) throws {
    let key = try [UInt8](hex: "C0FFEE00C0FFEE00C0FFEE00C0FFEE00")
    let octets = DataGrouping(0x0101, []).encoded + DataGrouping(identifier, key).encoded
    let file = try PersonalisationFile(parsing: octets)
    #expect(file.groupings[1].isSecret)
    #expect(file.groupings[1].data.isEmpty)
    #expect(file.groupings[1].count == 16)
    #expect(!"\(file)".contains("192, 255, 238"))
    let error = #expect(throws: PersonalisationError.self) { try PersonalisedCard(file) }
    #expect(error?.description.contains("C0FFEE") == false)
  }

  /// A grouping of the shipped file, its new data (nil to remove it), and the problems.
  static let problems: [(identifier: UInt16, data: String?, problems: [String])] = [
    (0x9103, nil, ["no DGI 9103 or 9102: the response to SELECT is needed", noName]),
    (0x9103, "", ["template A5 is missing", noName]),
    (0x9103, "8407A0000000031010", ["template A5 is missing", noName]),
    (0x9103, "A502", ["not BER-TLV: the length at offset 1 states 2 bytes, but 0 are left", noName]),
    (0x9103, "A503870101", [noName]),
    (
      0x9103, "6F0E8407A0000000251010A503870101",
      ["application A0000000251010: this engine has no scheme of this provider"]
    ),
    (
      0x9115, nil,
      ["no DGI 9115, 9116, 9117, B104 or 9104: the response to GET PROCESSING OPTIONS is needed"]
    ),
    (0x9115, "940408010100", ["tag 82 is missing"]),
    (0x9115, "82020040", ["tag 94 is missing"]),
    (0x9115, "820200409403080101", ["the AFL has 3 bytes: a multiple of 4 from 4 is needed"]),
    (0x9115, "820200409404080102" + "00", ["no DGI 0102: the AFL names SFI 1 record 2"]),
    (0x0301, nil, ["no DGI 0301: the AFL names SFI 3 record 1"]),
    (0x0301, "9F08020096", ["one template 70 and nothing else is needed"]),
    (0x0301, "70007000", ["one template 70 and nothing else is needed"]),
    (0x9200, nil, ["no issuer application data: tag 9F10 in DGI 9200 or beside tags 82 and 94 is needed"]),
    (
      0x9200, "9F100106",
      ["the issuer application data, tag 9F10, have 1 byte and a layout that this engine does not know"]
    ),
    (0x9010, "030303", ["not BER-TLV: the length at offset 1 states 3 bytes, but 1 are left", badCounter]),
  ]
  static let noName = "no application identifier: tag 84 in DGI 9103 or 9102, or a line \"#@ aid\", is needed"
  static let badCounter = "3 bytes: the PIN try counter and its limit, or tag 9F17, are needed"

  @Test(arguments: problems.indices)
  func `all problems of a file are reported together`(_ row: Int) throws {
    let (identifier, data, expected) = Self.problems[row]
    let file = try Self.changed(identifier, data.map { try [UInt8](hex: $0) })
    let error = #expect(throws: PersonalisationError.self) { try PersonalisedCard(file) }
    #expect(error?.problems.map(\.message) == expected)
  }

  @Test func `a repeated grouping and wrong directives are reported`() throws {
    let file = try PersonalisationFile(parsing: Self.shipped())
    let wrong = PersonalisationFile(
      file.groupings + [DataGrouping(0x9010, [3, 3])],
      directives: [.aid: "A000", .uses: "65536", .firstATC: "0", .name: "x"])
    let error = #expect(throws: PersonalisationError.self) { try PersonalisedCard(wrong) }
    #expect(
      error?.problems.map(\.message) == [
        "occurs more than once: a file holds one application",
        "#@ uses: a whole number is needed, 0...65535", "#@ first-atc: a whole number is needed, 1...65535",
        "#@ aid: 5 to 16 bytes in hexadecimal are needed",
      ])
  }

  @Test func `missing values have their defaults`() throws {
    let file = try PersonalisationFile(
      parsing: Self.changed(
        0x9103, [UInt8](hex: "A5" + "1B" + "9F3818" + "9F66049F02069F03069F1A0295055F2A029A039C019F3704")
      )
      .groupings.filter { ![0x9010, 0x8000].contains($0.identifier) }.flatMap(\.encoded))
    let named = PersonalisationFile(file.groupings, directives: [.aid: "A0000000031010"])
    let profile = try PersonalisedCard(named).profile
    let application = try #require(profile.applications.first)
    #expect(profile.name == "VISA")
    #expect(application.label == "VISA")
    #expect(application.priority == 1)
    #expect(application.ctq == "0000")
    #expect(application.uses == nil)
    #expect(application.firstATC == nil)
    #expect(application.getData == nil)
    #expect(application.cryptogram.cvr == "03A00000")
    #expect(try CardImage(compiling: profile).applications[0].uses == 10)
  }

  @Test func `contactless groupings come before contact groupings, whose notices say so`() throws {
    let file = try PersonalisationFile(parsing: Self.shipped())
    let contact = [
      DataGrouping(0x9102, try [UInt8](hex: "A503870109"), offset: 9_001),
      DataGrouping(0x9104, try [UInt8](hex: "820239009404" + "08010100"), offset: 9_002),
    ]
    let card = try PersonalisedCard(PersonalisationFile(contact + file.groupings, directives: file.directives))
    #expect(card.profile.applications[0].aip == "0040")
    #expect(card.profile.applications[0].priority == 1)
    #expect(card.notices.prefix(2) == ["DGI 9102, 5 bytes: skipped", "DGI 9104, 10 bytes: skipped"])
  }

  @Test func `each of 10 000 mutated files is a card or a list of problems`() throws {
    var generator = SplitMix64(seed: 2026_11_21)
    let file = try PersonalisationFile(parsing: Self.shipped())
    let binary = PersonalisationFile(file.groupings.filter { !$0.isSecret }).encoded
    let text = try Self.shipped()
    var cards = 0
    for round in 0..<10_000 {
      let octets = mutated(round % 10 == 0 ? text : binary, &generator)
      switch Self.outcome(octets) {
      case .success(let card): if (try? CardImage(compiling: card.profile)) != nil { cards += 1 }
      case .failure(let error):
        guard !error.problems.isEmpty else {
          Issue.record("round \(round): an error without problems")
          return
        }
      }
    }
    #expect(cards > 0)
  }

  private static func outcome(_ octets: [UInt8]) -> Result<PersonalisedCard, PersonalisationError> {
    do throws(PersonalisationError) {
      let file = try PersonalisationFile(parsing: octets)
      return .success(try PersonalisedCard(file))
    } catch {
      return .failure(error)
    }
  }

  private func mutated(_ seed: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var octets = seed
    for _ in 0...generator.next() % 3 {
      let position = octets.isEmpty ? 0 : Int(generator.next() % UInt64(octets.count))
      switch generator.next() % 5 {
      case 0 where !octets.isEmpty, 1 where !octets.isEmpty:
        octets[position] = UInt8(truncatingIfNeeded: generator.next())
      case 2 where !octets.isEmpty: octets.remove(at: position)
      case 3: octets.insert(UInt8(truncatingIfNeeded: generator.next()), at: position)
      default: if generator.next() % 8 == 0 { octets = Array(octets.prefix(position)) }
      }
    }
    return octets
  }
}

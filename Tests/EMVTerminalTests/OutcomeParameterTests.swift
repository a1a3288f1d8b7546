import Documents
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Testing

/// The outcome parameter set of Entry Point, as kernel and profile set it.
@Suite struct OutcomeParameterTests {
  static func values(_ outcome: PaymentOutcome) -> [OutcomeParameter: String] {
    Dictionary(
      uniqueKeysWithValues: OutcomeParameter.allCases.compactMap { parameter in
        parameter.value(in: outcome).map { (parameter, $0.description) }
      })
  }

  @Test func `see phone has a start, a status and the hold time of the profile`() throws {
    var card = CardDouble([.init(name: CardDouble.visa, optionsStatus: .commandNotAllowed)])
    #expect(Self.values(try Terminals.tap(&card).outcome)[.hold] == "1300 ms")
    card = CardDouble([.init(name: CardDouble.visa, optionsStatus: .commandNotAllowed)])
    let configuration = try Terminals.configuration(setting: [
      "applications[0].messageHold": 20, "applications[0].fieldOff": 5, "applications[0].removalTimeout": 30,
    ])
    let outcome = try Terminals.tap(&card, "12.34", "EUR", configuration).outcome
    #expect(outcome.kind == .seePhone)
    #expect(
      Self.values(outcome) == [
        .start: "B", .status: "not ready", .language: "en", .hold: "2000 ms", .fieldOff: "500 ms", .receipt: "no",
        .dataRecord: "no", .discretionaryData: "no",
      ])
    #expect(outcome.request == UserInterfaceRequest(.seePhone, .notReady, holdMilliseconds: 2000))
  }

  @Test func `a message without a hold time gets none from the profile, and an outcome without a restart no field-off`()
    throws
  {
    let configuration = try Terminals.configuration(setting: [
      "applications[0].messageHold": 20, "applications[0].fieldOff": 5,
    ])
    var card = CardDouble()
    let values = Self.values(try Terminals.tap(&card, "12.34", "EUR", configuration).outcome)
    #expect(
      values == [
        .status: "card read successfully", .language: "en", .receipt: "no", .dataRecord: "yes",
        .discretionaryData: "no",
      ])
  }

  @Test(arguments: [("36004000", "contact chip", nil), ("26004000", nil, nil)] as [(String, String?, String?)])
  func `another interface is the contact chip where the reader has one`(
    qualifiers: String, expected: String?, unused: String?
  ) throws {
    var card = CardDouble([.init(name: CardDouble.visa, optionsStatus: .referencedDataInvalidated)])
    let configuration = try Terminals.configuration(setting: [
      "applications[0].qualifiers": .init(qualifiers)
    ])
    let outcome = try Terminals.tap(&card, "12.34", "EUR", configuration).outcome
    #expect(outcome.kind == .otherInterface)
    #expect(Self.values(outcome)[.alternateInterface] == expected)
  }

  @Test func `a payment with a signature wants a receipt`() throws {
    let signature = CardDouble.options([0x9F6C: octets("4000")])
    var card = CardDouble([.init(name: CardDouble.visa, options: signature)])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.verification == .signature && outcome.isReceiptWanted)
    card = CardDouble([.init(name: CardDouble.visa, options: CardDouble.options())])
    #expect(try !Terminals.tap(&card).outcome.isReceiptWanted)
  }

  @Test func `an application that ends leaves the reader ready for another card`() throws {
    var card = CardDouble(directory: [])
    let outcome = try Terminals.tap(&card).outcome
    #expect(outcome.kind == .endApplication && outcome.status == .readyToRead)
  }

  // Tag 5F2D, the languages of the terminal, and the language of the messages.
  @Test(
    arguments: [
      ("6465656E", ["en", "de"], "de"), ("656E6465", ["de", "en"], "en"), ("6974", ["de", "en"], "de"),
      // A language that others have, but not this terminal.
      ("6672", ["de", "en"], "de"), ("66726465", ["en", "de"], "de"),
      ("69746672", ["en", "fr"], "fr"), (nil, ["fr", "en"], "fr"), ("4445", ["en", "de"], "de"),
      // No value of the tag.
      ("64", ["en", "de"], "en"), ("646565", ["en", "de"], "en"), ("64656465646564656465", ["en", "de"], "en"),
      ("", ["en", "de"], "en"), ("FFFE", ["en", "de"], "en"),
    ] as [(String?, [String], String)])
  func `messages are in the cardholder's language where the terminal has it, else in the terminal's`(
    preference: String?, languages: [String], expected: String
  ) throws {
    var card = CardDouble()
    let tag = preference.map { [TLVNode(.languagePreference, octets($0))] } ?? []
    card.replacements[1] = card.information(CardDouble.visa, tag + [TLVNode(.pdol, CardDouble.pdol)])
    let configuration = try Terminals.configuration(setting: ["languages": .init(languages.map { JSONValue($0) })])
    let outcome = try Terminals.tap(&card, "12.34", "EUR", configuration).outcome
    #expect(outcome.language.rawValue == expected)
    #expect(outcome.request.text == CardholderMessage.authorising.text(in: outcome.language))
  }

  @Test func `every message but the empty one has a text of its own in each language`() {
    for language in CardholderLanguage.allCases {
      let texts = CardholderMessage.allCases.map { $0.text(in: language) }
      #expect(Set(texts).count == CardholderMessage.allCases.count, "\(language)")
      #expect(texts.filter(\.isEmpty).count == 1)
    }
  }

  @Test func `a wrong value of a key of Entry Point is a problem with its path`() throws {
    let error = #expect(throws: TerminalProfileError.self) {
      try Terminals.configuration(setting: [
        "languages": ["en", "it"], "autorun": 1, "currencies[0].floorLimit": "1.234",
        "applications[0].messageHold": 256, "applications[0].fieldOff": 255, "applications[0].removalTimeout": -1,
        "applications[0].transactionTypes": ["0000"], "applications[1].transactionTypes": [],
      ])
    }
    let paths = Set(error?.problems.map(\.path) ?? [])
    #expect(
      paths == [
        "$.languages[1]", "$.autorun", "$.currencies[0].floorLimit", "$.applications[0].messageHold",
        "$.applications[0].fieldOff", "$.applications[0].removalTimeout", "$.applications[0].transactionTypes[0]",
        "$.applications[1].transactionTypes",
      ], "\(String(describing: error))")
  }
}

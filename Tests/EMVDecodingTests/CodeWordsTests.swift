import EMVData
import EMVDecoding
import Foundation
import ISO7816
import Octets
import Testing

/// Codes of other standards: currencies, countries, response codes, application providers, answers to reset.
@Suite("Codes in words")
struct CodeWordsTests {
  static let cases: [(UInt32, String, [String])] = [
    (0x5F2A, "0978", ["EUR (Euro)"]), (0x9F42, "0840", ["USD (US Dollar)"]),
    (0x9F3B, "09780826", ["EUR (Euro)", "GBP (Pound Sterling)"]), (0x5F2A, "0001", ["not a currency of ISO 4217"]),
    (0x5F2A, "0F78", []), (0x5F2A, "", []), (0x5F2A, "097800", []),
    (0x9F1A, "0276", ["DE (Germany)"]), (0x5F28, "0756", ["CH (Switzerland)"]),
    (0x5F28, "0000", ["not a country of ISO 3166-1"]), (0x9F1A, "02760040", []), (0x9F1A, "FFFF", []),
    (0x5F55, "4652", ["France"]), (0x5F55, "7A7A", []),
    (0x8A, "3030", ["approved"]), (0x8A, "3035", ["do not honour"]),
    (0x8A, "5A33", ["unable to go online, offline declined"]),
    (0x8A, "FFFF", []), (0x8A, "30", []),
    (0x4F, "A0000000031010", ["Visa"]), (0x84, "A0000000041010", ["Mastercard"]),
    (0x84, "325041592E5359532E4444463031", []), (0x9F06, "A000000025", ["American Express"]), (0x84, "A000", []),
    (0x9F15, "5812", ["Eating places and restaurants"]), (0x9F15, "3000", ["Airlines"]),
    (0x9F15, "3400", ["Car rental"]), (0x9F15, "3501", ["Lodging"]), (0x9F15, "0001", ["Reserved"]),
    (0x9F15, "58", []), (0x9F15, "58FF", []),
    (0x91, "11223344556677883035", ["ARPC 1122334455667788", "response code 3035 (do not honour)"]),
  ]

  @Test(arguments: cases)
  func `a code has the name that its standard gives it`(_ tag: UInt32, _ hex: String, _ expected: [String]) throws {
    #expect(DataElement.details(of: ISO7816.Tag(rawValue: tag), try [UInt8](hex: hex)) == expected)
  }

  @Test func `the names stand below their data object`() throws {
    let node = DecodedNode(dataObjects: try [UInt8](hex: "4F07A00000000310105F2A0209789F1A020276"))
    #expect(
      node.lines.map { $0.trimmingCharacters(in: .whitespaces) }.dropFirst() == [
        "4F Application Dedicated File (ADF) Name: A0000000031010", "Visa",
        "5F2A Transaction Currency Code: 0978", "EUR (Euro)", "9F1A Terminal Country Code: 0276", "DE (Germany)",
      ])
  }

  private func list(_ name: String) throws -> [[String: String]] {
    let path = "/usr/share/iso-codes/json/iso_\(name).json"
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    let entries = try #require(document?[name] as? [[String: Any]])
    return entries.map { $0.compactMapValues { $0 as? String } }
  }

  @Test func `the currencies are those of the package iso-codes`() throws {
    let list = try list("4217")
    #expect(list.count > 170)
    for entry in list {
      let number = try #require(entry["numeric"].flatMap { Int($0) })
      #expect(CurrencyCode.letters(numericCode: number) == entry["alpha_3"])
      #expect(CurrencyCode.name(numericCode: number) == entry["name"])
    }
    #expect(CurrencyCode.letters(numericCode: 1) == "001" && CurrencyCode.name(numericCode: 1) == nil)
  }

  @Test func `the countries are those of the package iso-codes`() throws {
    let list = try list("3166-1")
    #expect(list.count > 240)
    for entry in list {
      let number = try #require(entry["numeric"].flatMap { Int($0) })
      let name = entry["common_name"] ?? entry["name"]
      #expect(CountryCode.letters(numericCode: number) == entry["alpha_2"])
      #expect(CountryCode.name(numericCode: number) == name)
      #expect(CountryCode.name(letters: entry["alpha_2"] ?? "") == name)
    }
  }

  @Test func `a card is named by its answer to reset, exactly or with any bytes`() throws {
    let cards = ATRNameList(
      parsing: Array(
        """
        # a comment
        3B 80 80 01 01
        \tpassport
        \tidentity card

        3B 80 80 01 ..
        \tany of type B

        3B 80 [8,9]0 01 01
        \tleft out
        """.utf8))
    let exact = ["passport (list of pcsc-tools)", "identity card (list of pcsc-tools)"]
    #expect(cards.names(of: [0x3B, 0x80, 0x80, 0x01, 0x01]) == exact)
    #expect(cards.names(of: [0x3B, 0x80, 0x80, 0x01, 0x02]) == ["any of type B (list of pcsc-tools)"])
    #expect(cards.names(of: [0x3B, 0x80, 0x80, 0x01]) == [] && cards.names(of: []) == [])
    let guess = DecodedGuess([0x3B, 0x80, 0x80, 0x01, 0x01], cards: { cards })
    #expect(guess.kind == .answerToReset && guess.node.details == exact)
  }

  @Test func `the list of the package pcsc-tools is read`() throws {
    let list = try Data(contentsOf: URL(filePath: "/usr/share/pcsc/smartcard_list.txt"))
    let names = ATRNameList(parsing: [UInt8](list)).names(of: [0x3B, 0x80, 0x80, 0x01, 0x01])
    #expect(names.contains { $0.contains("ISO 14443 Type B") }, "\(names)")
  }

  @Test(arguments: [[], [0x09], [0x0A], [0x33, 0x42, 0x0A, 0x09, 0xFF, 0xFE], [0x2E, 0x2E, 0x0A, 0x09]])
  func `any bytes are a list`(_ octets: [UInt8]) {
    _ = ATRNameList(parsing: octets).names(of: [0x3B])
  }
}

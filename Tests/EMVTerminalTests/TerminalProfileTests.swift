import Documents
import EMVData
import Fixtures
import Foundation
import ISO7816
import JSON
import Testing

@testable import EMVTerminal

@Suite struct TerminalProfileTests {
  @Test(arguments: try Fixtures.names(in: "Terminals", ending: ".json"))
  func `every shipped profile compiles`(name: String) throws {
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/\(name)"))
    #expect(configuration.name + ".json" == name)
    #expect(!configuration.combinations.isEmpty)
    for combination in configuration.combinations {
      let kernel = combination.kernel
      let limits =
        (kernel as? Kernel2)?.limits ?? (kernel as? Kernel3)?.limits ?? (kernel as? Kernel4)?.limits
        ?? (kernel as? Kernel5)?.limits ?? (kernel as? Kernel6)?.limits
      #expect(limits?.byCurrency.count == configuration.currencies.count)
    }
  }

  @Test func `limits are in minor units of each currency's own exponent`() throws {
    let configuration = try Terminals.configuration()
    let kernel = try #require(configuration.combinations.first?.kernel as? Kernel3)
    let limits = kernel.limits.byCurrency
    #expect(limits["978"] == .init(transaction: 1_000_000, cvmRequired: 5000, floor: 0))
    #expect(limits["392"] == .init(transaction: 1_500_000, cvmRequired: 8000, floor: 0))
    #expect(limits["414"] == .init(transaction: 3_000_000, cvmRequired: 15000, floor: 0))
    #expect(limits["990"] == .init(transaction: 2_500_000, cvmRequired: 12500, floor: 0))
    #expect(
      configuration.combinations.map(\.aid.description) == [
        "A0000000031010", "A0000000032010", "A000000003", "A0000000041010", "A0000000043060",
      ])
  }

  @Test func `a currency is found by its number and by its capital letters`() throws {
    let configuration = try Terminals.configuration()
    #expect(configuration.currency("978")?.alphabeticCode == "EUR")
    #expect(configuration.currency("KWD")?.octets == [0x04, 0x14])
    #expect(configuration.currency("eur") == nil)
    #expect(configuration.currency("756")?.alphabeticCode == "CHF")
    #expect(configuration.currency("124") == nil)
    #expect(configuration.currencies.map(\.singleUnit) == [100, 100, 100, 100, 1, 1000, 10000])
  }

  @Test func `a profile survives writing and reading`() throws {
    let profile = try Terminals.profile()
    #expect(try JSONValue(parsing: profile.pretty) == profile)
  }

  private static let faulty = """
    { "name": 7, "countryCode": "27", "terminalType": "2x", "capabilities": "E068", "additionalCapabilities": "00",
      "merchant": { "name": "", "categoryCode": "59999", "identifier": "short", "phone": "1" },
      "currencies": [ { "code": "97", "name": "eur", "exponent": 5 }, { "code": "392", "name": "JPY", "exponent": 0 },
        { "code": "392", "name": "JPY", "exponent": 0 }, { "code": "414", "name": "KWD", "exponent": 2.5 } ],
      "applications": [ { "name": "Visa", "aids": [ "A000000003", "A0", "A000000003", 3 ], "kernel": 3,
        "qualifiers": "90080000", "statusCheck": "no", "limit": [],
        "limits": [ { "currency": "JPY", "transaction": "1.5", "floor": "1000000000000", "cvmRequired": 5 },
          { "currency": "GBP" }, { "currency": "JPY" } ] }, { },
        { "name": "JCB", "aids": [ "A000000065" ], "kernel": 99, "limits": 7 } ] }
    """

  @Test func `all problems of a profile are reported together, each with its path`() throws {
    let error = try #require(throws: TerminalProfileError.self) {
      try TerminalConfiguration(json: Array(Self.faulty.utf8))
    }
    let paths = error.problems.map(\.path)
    let first = "$.applications[0]"
    let expected = [
      "$.name", "$.countryCode", "$.terminalType", "$.capabilities", "$.additionalCapabilities", "$.merchant.name",
      "$.merchant.categoryCode", "$.merchant.identifier", "$.merchant.phone", "$.currencies[0].code",
      "$.currencies[0].name", "$.currencies[0].exponent", "$.currencies[2]", "$.currencies[3].exponent",
      "\(first).aids[1]", "\(first).aids[2]", "\(first).aids[3]", "\(first).qualifiers",
      "\(first).statusCheck", "\(first).limit", "\(first).limits[0].transaction", "\(first).limits[0].floor",
      "\(first).limits[0].cvmRequired", "\(first).limits[1].currency", "\(first).limits[2].currency",
      "\(first).limits",
      // The further keys of an application are its kernel's: without a kernel of this terminal they are not known.
      "$.applications[1].name", "$.applications[1].aids", "$.applications[1].kernel", "$.applications[2].kernel",
    ]
    for path in expected { #expect(paths.contains(path), "\(path) is not reported") }
    #expect(Set(paths) == Set(expected))
    #expect(error.description.contains("$.countryCode: \"27\" is not 3 decimal digits"))
    #expect(error.description.contains("kernel 99 is not built; kernels 2, 3, "))
    #expect(error.description.contains("the currency has 0"))
  }

  static func error(
    in name: String = "attended-eur", _ changes: KeyValuePairs<String, JSONValue>
  ) throws -> TerminalProfileError {
    try #require(throws: TerminalProfileError.self) { try Terminals.configuration(name, setting: changes) }
  }

  @Test func `each qualifier that is not built is named`() throws {
    let error = try Self.error(["applications[0].qualifiers": "99008000"])
    #expect(error.problems.map(\.path) == Array(repeating: "$.applications[0].qualifiers", count: 2))
    for name in ["mag-stripe", "EMV mode"] {
      #expect(error.problems.contains { $0.reason.contains(name) }, "\(name)")
    }
  }

  @Test func `all wrong settings of kernel 2 are named together`() throws {
    var text = try String(decoding: Fixtures.data("Terminals/attended-eur.json"), as: UTF8.self)
    for (from, to) in [
      ("\"configuration\": \"30\"", "\"configuration\": \"D1\""),
      ("\"cardDataInput\": \"E0\"", "\"cardDataInput\": \"E\""),
      ("\"security\": \"00\"", "\"security\": \"48\", \"defaultUDOL\": \"9F37\", \"mobile\": \"01\""),
      ("\"required\": \"60\"", "\"required\": \"6000\""), ("\"required\": \"20\"", "\"required\": \"30\""),
      ("\"denial\": \"0000000000\"", "\"denial\": \"00\""),
      (
        "\"actionCodes\"",
        "\"relayResistance\": { \"furtherTries\": 3, \"mismatch\": 101, \"accuracy\": -1 }, \"actionCodes\""
      ),
      ("\"qualifiers\": \"36004000\",", ""),
    ] { text = text.replacing(from, with: to) }
    let error = try #require(throws: TerminalProfileError.self) { try TerminalConfiguration(json: Array(text.utf8)) }
    let place = "$.applications[1].kernel2"
    let expected =
      [
        "configuration", "configuration", "cardDataInput", "security", "defaultUDOL", "mobile",
        "cvmCapability.required",
        "magStripeCVM.required", "actionCodes.denial", "relayResistance.furtherTries", "relayResistance.mismatch",
        "relayResistance.accuracy",
      ].map { "\(place).\($0)" } + ["$.applications[0].qualifiers"]
    #expect(error.problems.map(\.path).sorted() == expected.sorted())
  }

  @Test func `each kernel needs its own settings and refuses those of the other`() throws {
    let error = try Self.error(["applications[0].kernel": 2, "applications[1].kernel": 3])
    let limits = (0..<7).map { "$.applications[1].limits[\($0)].transactionOnDevice" }
    let places = ["[0].qualifiers", "[0].kernel2", "[1].qualifiers", "[1].kernel2"].map { "$.applications\($0)" }
    #expect(error.problems.map(\.path).sorted() == (places + limits).sorted())
  }

  @Test func `a currency without limits is a problem`() throws {
    let error = try Self.error([
      "applications[0].limits": [
        ["currency": "EUR"], ["currency": "USD"], ["currency": "GBP"], ["currency": "CHF"], ["currency": "JPY"],
        ["currency": "KWD"],
      ]
    ])
    #expect(error.problems.map(\.path) == ["$.applications[0].limits"])
    #expect(error.problems[0].reason.contains("CLF"))
  }

  @Test func `empty lists are problems`() throws {
    let error = try Self.error(
      in: "signature-usd", ["applications[0].aids": [], "currencies": [], "applications[0].limits": []])
    #expect(error.problems.map(\.path).sorted() == ["$.applications[0].aids", "$.currencies"])
    let other = try Self.error(in: "signature-usd", ["currencies": [], "applications": []])
    #expect(other.problems.map(\.path).sorted() == ["$.applications", "$.currencies"])
  }

  @Test(arguments: [
    "", "{", "[]", "7", "null", "\"\"", "{}", "{\"name\":}", "\u{FEFF}{}", String(repeating: "[", count: 5000),
  ])
  func `a text that is not a profile throws one typed error`(text: String) throws {
    let error = try #require(throws: TerminalProfileError.self) { try TerminalConfiguration(json: Array(text.utf8)) }
    #expect(!error.problems.isEmpty)
    #expect(error.problems.allSatisfy { $0.path.hasPrefix("$") })
  }

  @Test(arguments: [
    ("{\n  \"name\": }", "line 2, column 11"), ("{ \"name\": zz", "line 1, column 11"),
    ("{ \"name\": \"x\"", "the end of the text"), ("{\"a\" 1}", "line 1, column 6"), ("", "the end of the text"),
    ("[1, 2", "the end of the text"), ("{} {}", "line 1, column 4"),
  ])
  func `an error in the JSON names line and column`(text: String, place: String) throws {
    let error = try #require(throws: TerminalProfileError.self) { try TerminalConfiguration(json: Array(text.utf8)) }
    #expect(error.problems.count == 1)
    #expect(error.problems[0].reason.hasPrefix("not JSON: "), "\(error)")
    #expect(error.problems[0].description.contains(place), "\(error)")
  }

  @Test func `all of JSON is read`() throws {
    var text = try String(decoding: Fixtures.data("Terminals/attended-eur.json"), as: UTF8.self)
    text = text.replacing("attended-eur", with: "a\\u0041\\\"\\\\\\/\\b\\f\\n\\r\\t é")
    text = text.replacing("\"statusCheck\": true", with: "\"statusCheck\": null")
    let configuration = try TerminalConfiguration(json: Array(text.replacing("\": ", with: "\"\t:\r\n ").utf8))
    #expect(configuration.name == "aA\"\\/\u{08}\u{0C}\n\r\t é")
    #expect((configuration.combinations[0].kernel as? Kernel3)?.statusCheck == false)
  }

  @Test func `bytes that are not text throw one typed error`() {
    #expect(throws: TerminalProfileError.self) { try TerminalConfiguration(json: [0xFF, 0xFE, 0x00, 0x7B]) }
  }
}

@Suite struct AuthorityProfileTests {
  @Test func `all problems of the keys of authorities are reported together`() throws {
    let right = try SigningDouble.authority()
    let wrong = [
      right.setting("checksum", to: "00"), right.setting("modulus", to: "80"), right.setting("exponent", to: "05"),
      right.setting("provider", to: "F0000000"), right.setting("index", to: "0102"), right, right,
    ]
    let error = try #require(throws: TerminalProfileError.self) {
      try Terminals.configuration(setting: [
        "certificationAuthorities": JSONValue(wrong),
        "revokedCertificates": [["provider": "F000000001", "index": "01", "serialNumber": "01"]],
      ])
    }
    let place = "$.certificationAuthorities"
    #expect(
      error.problems.map(\.path) == [
        "\(place)[0].checksum", "\(place)[1].modulus", "\(place)[1].checksum", "\(place)[2].modulus",
        "\(place)[2].checksum", "\(place)[3].provider", "\(place)[3].checksum", "\(place)[4].index",
        "\(place)[6].index", "$.revokedCertificates[0].serialNumber",
      ])
  }
}

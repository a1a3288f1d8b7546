import EMVCard
import EMVData
import Fixtures
import Foundation
import Testing

@Suite("Card profiles")
struct CardProfileTests {
  static let shipped = [
    "amex-cda", "amex-magstripe", "amex-mobile", "co-badged", "discover", "discover-cda", "jcb-cda", "jcb-mobile",
    "mastercard-cda", "mastercard-cvn16", "mastercard-cvn21", "mastercard-magstripe", "unionpay", "unionpay-fdda",
    "unionpay-fdda-00", "visa-cvn10", "visa-cvn18", "visa-fdda", "visa-fdda-online", "visa-two-accounts",
  ]
  /// Ranges that the payment systems publish for tests.
  static let testPrefixes = ["476173", "541333", "374245", "353011", "601100", "620000"]

  @Test func `the table has every shipped card without faults`() throws {
    let honest = try Fixtures.names(in: "Cards", ending: ".json").filter { !$0.hasPrefix("faulty-") }
    #expect(honest == Self.shipped.map { $0 + ".json" }.sorted())
  }

  @Test(arguments: shipped)
  func `shipped cards have readable test account numbers`(_ name: String) throws {
    for application in try shippedImage(name).applications {
      #expect(application.accountNumber.hasValidCheckDigit)
      let digits = application.accountNumber.exposedDigits
      #expect(Self.testPrefixes.contains { digits.hasPrefix($0) })
    }
  }

  /// The PDOL without tag 9F66.
  static let noQualifiers = "9F02069F03069F1A0295055F2A029A039C019F3704"

  /// A change of a shipped card, and the paths of its problems.
  static let faults: [(change: @Sendable (inout CardProfile) -> Void, paths: [String])] = [
    ({ $0.format = "contactless-card/2" }, ["format"]),
    ({ $0.applications = [] }, ["applications"]),
    ({ $0.name = "" }, ["name"]),
    ({ $0.name = String(repeating: "n", count: 65) }, ["name"]),
    ({ $0.applications[0].pdol = "" }, Array(repeating: "applications[0].pdol", count: 9)),
    (
      { $0.applications = Array(repeating: $0.applications[0], count: 5) },
      ["applications", "applications[1].aid", "applications[2].aid", "applications[3].aid", "applications[4].aid"]
    ),
    ({ $0.applications[0].aid = "A0000003" }, ["applications[0].aid"]),
    ({ $0.applications[0].aid = "A00000000310100" }, ["applications[0].aid"]),
    ({ $0.applications[0].aid = String(repeating: "A0", count: 17) }, ["applications[0].aid"]),
    ({ $0.applications[0].label = "" }, ["applications[0].label"]),
    ({ $0.applications[0].label = String(repeating: "V", count: 17) }, ["applications[0].label"]),
    ({ $0.applications[0].priority = 0 }, ["applications[0].priority"]),
    ({ $0.applications[0].priority = 16 }, ["applications[0].priority"]),
    (
      { $0.applications[0].pdol = "9F66" },
      ["applications[0].pdol"]
    ),
    ({ $0.applications[0].aip = "00" }, ["applications[0].aip"]),
    ({ $0.applications[0].pdol = noQualifiers }, ["applications[0].pdol"]),
    ({ $0.applications[0].pdol = "9F6603" + noQualifiers }, ["applications[0].pdol"]),
    ({ $0.applications[0].ctq = "000000" }, ["applications[0].ctq"]),
    ({ $0.applications[0].ctq = "0080" }, ["applications[0].ctq"]),
    (
      {
        $0.applications[0].ctq = "C080"
        $0.applications[0].cryptogram.cvr = "03A60000"
      }, ["applications[0].cryptogram.cvr", "applications[0].ctq"]
    ),
    ({ $0.applications[0].cryptogram.version = 17 }, ["applications[0].cryptogram.version"]),
    ({ $0.applications[0].cryptogram.cvr = "04A00000" }, ["applications[0].cryptogram.cvr"]),
    ({ $0.applications[0].cryptogram.cvr = "03900000" }, ["applications[0].cryptogram.cvr"]),
    ({ $0.applications[0].cryptogram.derivationKeyIndex = "" }, ["applications[0].cryptogram.derivationKeyIndex"]),
    (
      { $0.applications[0].records = [] },
      ["applications[0].records", "applications[0].records", "applications[0].records"]
    ),
    ({ $0.applications[0].records[0].sfi = 31 }, ["applications[0].records[0].sfi"]),
    ({ $0.applications[0].records[0].record = 0 }, ["applications[0].records[0].record"]),
    (
      {
        $0.applications[0].records[1].sfi = $0.applications[0].records[0].sfi
        $0.applications[0].records[1].record = $0.applications[0].records[0].record
      }, ["applications[0].records[1]"]
    ),
    ({ $0.applications[0].records[0].data.removeAll { $0.hasPrefix("5F34") } }, ["applications[0].records"]),
    ({ $0.applications[0].records[0].data[0] = "5A 4761739001010028" }, ["applications[0].records"]),
    ({ $0.applications[0].records[0].data[0] = "5A" }, ["applications[0].records[0].data[0]"]),
    ({ $0.applications[0].records[0].data[0] = "5A 47617390010100ZZ" }, ["applications[0].records[0].data[0]"]),
    ({ $0.applications[0].records[1].data[0] = "61 00" }, ["applications[0].records[1].data[0]"]),
    ({ $0.applications[0].records[1].data[0] = "9F 00" }, ["applications[0].records[1].data[0]"]),
    ({ $0.applications[0].processingOptions = ["9F36 0001"] }, ["applications[0].processingOptions[0]"]),
    ({ $0.applications[0].processingOptions = ["5F34 01"] }, ["applications[0].processingOptions"]),
    ({ $0.applications[0].getData = ["9F36 0001"] }, ["applications[0].getData[0]"]),
    ({ $0.applications[0].firstATC = 0 }, ["applications[0].firstATC"]),
    ({ $0.applications[0].firstATC = 65536 }, ["applications[0].firstATC"]),
    ({ $0.applications[0].uses = -1 }, ["applications[0].uses"]),
  ]

  @Test(arguments: faults.indices)
  func `each problem is reported at its path`(_ row: Int) throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    Self.faults[row].change(&profile)
    #expect {
      try CardImage(compiling: profile)
    } throws: { error in
      let paths = (error as? CardProfileError)?.problems.map(\.path) ?? []
      return paths == Self.faults[row].paths
    }
  }

  @Test func `a problem of a file has its line and column`() throws {
    let text = String(decoding: try shippedJSON("visa-cvn18"), as: UTF8.self)
      .replacingOccurrences(of: "\"priority\": 1", with: "\"priority\": 16")
      .replacingOccurrences(of: "5F24 301231", with: "5F24 3012")
    let error = #expect(throws: CardProfileError.self) { try CardImage(json: Array(text.utf8)) }
    #expect(
      error?.problems.map(\.description) == [
        "line 8, column 19, applications[0].priority: 16: the range is 1...15",
        "line 24, column 13, applications[0].records[0].data[2]: 2 bytes: 3 are needed",
      ])
  }

  @Test func `all problems are reported together, each with its value and limit`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].priority = 99
    profile.applications[0].aip = "0"
    profile.applications[0].firstATC = 70000
    let error = #expect(throws: CardProfileError.self) { try CardImage(compiling: profile) }
    #expect(
      error?.description.split(separator: "\n").map(String.init) == [
        "the card profile has 3 problems:", "  applications[0].priority: 99: the range is 1...15",
        "  applications[0].aip: 1 hexadecimal digit: an even number is needed",
        "  applications[0].firstATC: 70000: the range is 1...65535",
      ])
  }

  @Test func `a PDOL without values that the cryptogram covers is a problem`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].pdol = "9F66049F0206"
    let error = #expect(throws: CardProfileError.self) { try CardImage(compiling: profile) }
    #expect(error?.problems.count == 7)
    #expect(error?.problems.first?.message == "tag 9F03 is missing: the cryptogram covers it with length 6")
  }

  @Test(arguments: [
    ("", "line 1, column 1: not JSON: expected a value, found the end of the text"),
    ("[]", "an object is needed"),
    ("{\"format\": 1}", "line 1, column 12, format: text is needed, not a whole number"),
    ("{\"format\": \"contactless-card/1\", \"name\": \"x\"}", "applications: a list is missing"),
  ])
  func `a file that is not a profile is an error with its place`(_ text: String, _ expected: String) {
    let error = #expect(throws: CardProfileError.self) { try CardProfile(json: Array(text.utf8)) }
    #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
  }

  @Test func `a file above the limit is an error`() {
    let error = #expect(throws: CardProfileError.self) {
      try CardProfile(json: [UInt8](repeating: 0x20, count: CardProfile.maximumCount + 1))
    }
    #expect(error?.description.contains("the limit is 262144") == true)
  }

  @Test func `a profile survives writing and reading`() throws {
    let profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    #expect(try CardProfile(json: profile.json) == profile)
  }
}

import CardFaults
import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import JSON
import Testing

@Suite("Card fault plans")
struct CardFaultPlanTests {
  /// A wrong rule and its problems.
  static let problems: [(fault: JSONValue, problems: [String])] = [
    (
      ["what": ["kind": "explode"]],
      [
        "faults[0].what.kind: \"explode\": the kinds are added, bad-tlv, chained, delay, duplicated, length-corrected, "
          + "link-lost, missing, status, truncated, value, wrong-length"
      ]
    ),
    (["what": ["kind": "status"]], ["faults[0].what.status: status needs it"]),
    (["what": ["kind": "status", "status": "6F"]], ["faults[0].what.status: 1 byte: 2 are needed"]),
    (
      ["what": ["kind": "status", "status": "6F0G"]],
      ["faults[0].what.status: character 3 is \"G\", which is not a hexadecimal digit"]
    ),
    (["what": ["kind": "value", "value": "00"]], ["faults[0].when: value needs the tag of the data object"]),
    (
      ["what": ["kind": "added", "objects": "9F3602"]],
      ["faults[0].what.objects: not a sequence of whole data objects"]
    ),
    (["what": ["kind": "added"]], ["faults[0].what.objects: added needs it"]),
    (["what": ["kind": "bad-tlv", "by": 1]], ["faults[0].what.by: bad-tlv does not take it"]),
    (
      ["what": ["kind": "delay", "octets": 1]],
      ["faults[0].what.octets: delay does not take it", "faults[0].what.milliseconds: delay needs it"]
    ),
    (["what": ["kind": "wrong-length", "by": 0]], ["faults[0].what.by: 0: that changes nothing"]),
    (["what": ["kind": "wrong-length", "by": 128]], ["faults[0].what.by: 128: the range is -127...127"]),
    (["what": ["kind": "wrong-length", "by": -128]], ["faults[0].what.by: -128: the range is -127...127"]),
    (["what": ["kind": "truncated", "octets": 0]], ["faults[0].what.octets: 0: the range is 1...256"]),
    (["what": ["kind": "truncated", "octets": 257]], ["faults[0].what.octets: 257: the range is 1...256"]),
    (["what": ["kind": "chained", "octets": 257]], ["faults[0].what.octets: 257: the range is 1...256"]),
    (["what": ["kind": "delay", "milliseconds": 0]], ["faults[0].what.milliseconds: 0: the range is 1...60000"]),
    (
      ["what": ["kind": "delay", "milliseconds": 60_001]],
      ["faults[0].what.milliseconds: 60001: the range is 1...60000"]
    ),
    (["what": ["kind": "missing"], "times": 0], ["faults[0].times: 0: the range is 1...65535"]),
    (["what": ["kind": "missing"], "percent": 101], ["faults[0].percent: 101: the range is 1...100"]),
    (["when": ["exchange": 0], "what": ["kind": "missing"]], ["faults[0].when.exchange: 0: the range is 1...65535"]),
    (
      ["when": ["tag": "9F"], "what": ["kind": "missing"]],
      ["faults[0].when.tag: not a tag of 2, 4 or 6 hexadecimal digits"]
    ),
    (
      ["when": ["command": "SELEKT"], "what": ["kind": "missing"]],
      [
        "faults[0].when.command: \"SELEKT\": 2 hexadecimal digits or one of COMPUTE CRYPTOGRAPHIC CHECKSUM, "
          + "EXCHANGE RELAY RESISTANCE DATA, GENERATE AC, GET DATA, GET PROCESSING OPTIONS, READ RECORD, SELECT are "
          + "needed"
      ]
    ),
  ]

  @Test(arguments: problems.indices)
  func `each problem of a rule is reported at its path`(_ row: Int) throws {
    let error = #expect(throws: CardProfileError.self) { try CardFaultPlan(json: [Self.problems[row].fault]) }
    #expect(error?.problems.map(\.description) == Self.problems[row].problems)
  }

  @Test func `the problems of a plan are reported together with those of its card`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].priority = 16
    profile.faults = [["what": ["kind": "explode"]], ["what": ["kind": "missing"], "times": 0]]
    let error = #expect(throws: CardProfileError.self) { try CardFaultPlan.checkedImage(json: profile.json) }
    #expect(error?.problems.map(\.path) == ["applications[0].priority", "faults[0].what.kind", "faults[1].times"])
  }

  @Test(arguments: try Fixtures.names(in: "Cards", ending: ".json").filter { $0.hasPrefix("faulty-") })
  func `no text of a plan holds an account number of its card`(_ name: String) throws {
    let json = [UInt8](try Fixtures.data("Cards/\(name)"))
    let plan = try #require(try CardFaultPlan(of: CardProfile(json: json)))
    var text = "\(plan) \(String(reflecting: plan)) "
    dump(plan, to: &text)
    for application in try CardFaultPlan.checkedImage(json: json).applications {
      #expect(!text.contains(application.accountNumber.exposedDigits))
    }
  }

  @Test func `a plan has at most 64 rules`() throws {
    let rule: JSONValue = ["what": ["kind": "missing"]]
    #expect(try CardFaultPlan(json: JSONValue(Array(repeating: rule, count: 64))).rules.count == 64)
    let error = #expect(throws: CardProfileError.self) {
      try CardFaultPlan(json: JSONValue(Array(repeating: rule, count: 65)))
    }
    #expect(error?.problems.map(\.description) == ["faults: 65 rules: the limit is 64"])
  }

  static let limits: [(text: JSONValue, fault: CardFaultPlan.Fault)] = [
    (
      ["kind": "status", "status": "6282", "keepsData": true],
      CardFaultPlan.Fault.status(.init(rawValue: 0x6282), keepsData: true)
    ),
    (["kind": "status", "status": "9000"], .status(.ok, keepsData: false)),
    (["kind": "wrong-length", "by": 127], .wrongLength(by: 127)),
    (["kind": "wrong-length", "by": -127], .wrongLength(by: -127)),
    (["kind": "truncated", "octets": 1], .truncated(octets: 1)),
    (["kind": "truncated", "octets": 256], .truncated(octets: 256)),
    (["kind": "chained"], .chained(part: 256)), (["kind": "chained", "octets": 1], .chained(part: 1)),
    (["kind": "delay", "milliseconds": 60_000], .delay(milliseconds: 60_000)), (["kind": "bad-tlv"], .malformed),
    (["kind": "duplicated"], .duplicated), (["kind": "missing"], .missing),
    (["kind": "length-corrected"], .lengthCorrected),
    (["kind": "link-lost"], .linkLost),
  ]

  @Test(arguments: limits.indices)
  func `every kind of fault is read at its limits`(_ row: Int) throws {
    let (text, expected) = Self.limits[row]
    let rules = try CardFaultPlan(json: [["what": text]]).rules
    #expect(rules.map(\.fault) == [expected])
    #expect(rules[0].fault.kind == text["kind"]?.text)
    #expect(CardFaultPlan.kinds.contains(text["kind"]?.text ?? ""))
  }

  @Test func `a profile without faults has no plan; faults survive writing and reading`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    #expect(try CardFaultPlan(of: profile) == nil)
    profile.faults = []
    #expect(try CardFaultPlan(of: profile) == nil)
    profile.faults = [
      [
        "when": ["command": "A8", "exchange": 3, "tag": "9f26"], "what": ["kind": "duplicated"], "times": 2,
        "percent": 50, "seed": 7,
      ]
    ]
    let decoded = try CardProfile(json: profile.json)
    let plan = try #require(try CardFaultPlan(of: decoded))
    let rule = try #require(plan.rules.first)
    #expect(rule.occasion.instruction == 0xA8)
    #expect(rule.occasion.exchange == 3)
    #expect(rule.occasion.tag == 0x9F26)
    #expect(rule.times == 2)
    #expect(rule.percent == 50)
    #expect(rule.seed == 7)
  }
}

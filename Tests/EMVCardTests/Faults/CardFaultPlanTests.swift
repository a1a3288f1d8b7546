import EMVCard
import Fixtures
import Foundation
import ISO7816
import Testing

@Suite("Card fault plans")
struct CardFaultPlanTests {
  typealias Fault = CardProfile.Fault

  /// A wrong rule and its problems.
  static let problems: [(fault: Fault, problems: [String])] = [
    (
      Fault(what: .init("explode")),
      [
        "faults[0].what.kind: \"explode\": the kinds are added, bad-tlv, chained, delay, duplicated, length-corrected, "
          + "link-lost, missing, status, truncated, value, wrong-length"
      ]
    ),
    (Fault(what: .init("status")), ["faults[0].what.status: status needs it"]),
    (Fault(what: .init("status", status: "6F")), ["faults[0].what.status: 1 byte: 2 are needed"]),
    (
      Fault(what: .init("status", status: "6F0G")),
      ["faults[0].what.status: character 3 is \"G\", which is not a hexadecimal digit"]
    ),
    (Fault(what: .init("value", value: "00")), ["faults[0].when: value needs the tag of the data object"]),
    (
      Fault(what: .init("added", objects: "9F3602")),
      ["faults[0].what.objects: not a sequence of whole data objects"]
    ),
    (Fault(what: .init("added")), ["faults[0].what.objects: added needs it"]),
    (Fault(what: .init("bad-tlv", by: 1)), ["faults[0].what.by: bad-tlv does not take it"]),
    (
      Fault(what: .init("delay", octets: 1)),
      ["faults[0].what.octets: delay does not take it", "faults[0].what.milliseconds: delay needs it"]
    ),
    (Fault(what: .init("wrong-length", by: 0)), ["faults[0].what.by: 0: that changes nothing"]),
    (Fault(what: .init("wrong-length", by: 128)), ["faults[0].what.by: 128: the range is -127...127"]),
    (Fault(what: .init("wrong-length", by: -128)), ["faults[0].what.by: -128: the range is -127...127"]),
    (Fault(what: .init("truncated", octets: 0)), ["faults[0].what.octets: 0: the range is 1...256"]),
    (Fault(what: .init("truncated", octets: 257)), ["faults[0].what.octets: 257: the range is 1...256"]),
    (Fault(what: .init("chained", octets: 257)), ["faults[0].what.octets: 257: the range is 1...256"]),
    (Fault(what: .init("delay", milliseconds: 0)), ["faults[0].what.milliseconds: 0: the range is 1...60000"]),
    (Fault(what: .init("delay", milliseconds: 60_001)), ["faults[0].what.milliseconds: 60001: the range is 1...60000"]),
    (Fault(what: .init("missing"), times: 0), ["faults[0].times: 0: the range is 1...65535"]),
    (Fault(what: .init("missing"), percent: 101), ["faults[0].percent: 101: the range is 1...100"]),
    (Fault(when: .init(exchange: 0), what: .init("missing")), ["faults[0].when.exchange: 0: the range is 1...65535"]),
    (
      Fault(when: .init(tag: "9F"), what: .init("missing")),
      ["faults[0].when.tag: not a tag of 2, 4 or 6 hexadecimal digits"]
    ),
    (
      Fault(when: .init(command: "SELEKT"), what: .init("missing")),
      [
        "faults[0].when.command: \"SELEKT\": 2 hexadecimal digits or one of COMPUTE CRYPTOGRAPHIC CHECKSUM, "
          + "EXCHANGE RELAY RESISTANCE DATA, GENERATE AC, GET DATA, GET PROCESSING OPTIONS, READ RECORD, SELECT are "
          + "needed"
      ]
    ),
  ]

  @Test(arguments: problems.indices)
  func `each problem of a rule is reported at its path`(_ row: Int) throws {
    let error = #expect(throws: CardProfileError.self) { try CardFaultPlan([Self.problems[row].fault]) }
    #expect(error?.problems.map(\.description) == Self.problems[row].problems)
  }

  @Test func `the problems of a plan are reported together with those of its card`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].priority = 16
    profile.faults = [Fault(what: .init("explode")), Fault(what: .init("missing"), times: 0)]
    let error = #expect(throws: CardProfileError.self) { try CardImage(compiling: profile) }
    #expect(error?.problems.map(\.path) == ["applications[0].priority", "faults[0].what.kind", "faults[1].times"])
  }

  @Test func `a plan has at most 64 rules`() throws {
    let rule = Fault(what: .init("missing"))
    #expect(try CardFaultPlan(Array(repeating: rule, count: 64)).rules.count == 64)
    let error = #expect(throws: CardProfileError.self) { try CardFaultPlan(Array(repeating: rule, count: 65)) }
    #expect(error?.problems.map(\.description) == ["faults: 65 rules: the limit is 64"])
  }

  @Test(arguments: [
    (
      Fault.Kind("status", status: "6282", keepsData: true),
      CardFaultPlan.Fault.status(.init(rawValue: 0x6282), keepsData: true)
    ),
    (.init("status", status: "9000"), .status(.ok, keepsData: false)),
    (.init("wrong-length", by: 127), .wrongLength(by: 127)),
    (.init("wrong-length", by: -127), .wrongLength(by: -127)),
    (.init("truncated", octets: 1), .truncated(octets: 1)),
    (.init("truncated", octets: 256), .truncated(octets: 256)),
    (.init("chained"), .chained(part: 256)), (.init("chained", octets: 1), .chained(part: 1)),
    (.init("delay", milliseconds: 60_000), .delay(milliseconds: 60_000)), (.init("bad-tlv"), .malformed),
    (.init("duplicated"), .duplicated), (.init("missing"), .missing), (.init("length-corrected"), .lengthCorrected),
    (.init("link-lost"), .linkLost),
  ])
  func `every kind of fault is read at its limits`(_ text: Fault.Kind, _ expected: CardFaultPlan.Fault) throws {
    let rules = try CardFaultPlan([Fault(what: text)]).rules
    #expect(rules.map(\.fault) == [expected])
    #expect(rules[0].fault.kind == text.kind)
    #expect(CardFaultPlan.kinds.contains(text.kind))
  }

  @Test func `a profile without faults has no plan; faults survive writing and reading`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    #expect(try CardFaultPlan(of: profile) == nil)
    profile.faults = []
    #expect(try CardFaultPlan(of: profile) == nil)
    profile.faults = [
      Fault(
        when: .init(command: "A8", exchange: 3, tag: "9f26"), what: .init("duplicated"), times: 2, percent: 50, seed: 7)
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

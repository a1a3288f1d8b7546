import CardFaults
import EMVCard
import Foundation
import ISO7816
import JSON
import Octets
import Synchronization
import Testing

/// Records the calls of an injector to its ports.
final class FaultJournal: Sendable {
  private let state = Mutex<(faults: [InjectedFault], slept: [Duration], losses: Int)>(([], [], 0))

  var faults: [InjectedFault] { state.withLock { $0.faults } }
  var slept: [Duration] { state.withLock { $0.slept } }
  var losses: Int { state.withLock { $0.losses } }

  var ports: FaultPorts {
    FaultPorts(
      sleep: { duration in self.state.withLock { $0.slept.append(duration) } },
      leave: { self.state.withLock { $0.losses += 1 } },
      report: { fault in self.state.withLock { $0.faults.append(fault) } })
  }
}

/// Answers every command with the same bytes and counts the commands.
struct FixedCard: CommandResponder, ~Copyable {
  var answer: [UInt8]
  private(set) var commands = 0
  private(set) var events: [FieldEvent] = []
  private(set) var reports = 0

  init(_ answer: [UInt8]) { self.answer = answer }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    commands += 1
    response.copy(answer.span, to: 0)
    return answer.count
  }

  mutating func responseSent() { reports += 1 }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) { events.append(event) }
}

/// Hexadecimal in, hexadecimal out.
func answer(_ injector: inout FaultInjector<FixedCard>, _ command: String) throws -> String {
  let octets = try [UInt8](hex: command)
  var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
  let count = buffer.withMutableOctets { injector.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &$0) }
  return Array(buffer[..<count]).hex
}

@Suite("Fault injection")
struct FaultInjectorTests {
  static let options = "80A800000283 0000"
  /// 77 { 82, 94 }, two data objects in a template.
  static let whole = "770A 82020040 940408010100 9000".replacing(" ", with: "")

  static func injector(_ faults: [JSONValue], _ journal: FaultJournal, answering: String = whole) throws
    -> FaultInjector<FixedCard>
  {
    FaultInjector(
      FixedCard(try [UInt8](hex: answering)), plan: try CardFaultPlan(json: JSONValue(faults)), ports: journal.ports)
  }

  @Test func `a card with faults gets the call that follows its response`() throws {
    var injector = try Self.injector([["what": ["kind": "status", "status": "6F01"]]], FaultJournal())
    injector.responseSent()
    let reports = injector.base.reports
    #expect(reports == 1)
  }

  /// A fault, and the bytes of the response above with it.
  static let table: [(fault: JSONValue, expected: String)] = [
    (["what": ["kind": "status", "status": "6F01"]], "6F01"),
    (["what": ["kind": "status", "status": "6283", "keepsData": true]], "770A820200409404080101006283"),
    (["what": ["kind": "truncated", "octets": 1]], "770A82020040940408010" + "19000"),
    (["what": ["kind": "truncated", "octets": 12]], "9000"),
    (["what": ["kind": "truncated", "octets": 256]], "9000"),
    (["when": ["tag": "82"], "what": ["kind": "wrong-length", "by": 1]], "770A820300409404080101009000"),
    (["when": ["tag": "77"], "what": ["kind": "wrong-length", "by": -1]], "7709820200409404080101009000"),
    (["when": ["tag": "94"], "what": ["kind": "wrong-length", "by": 127]], "770A820200409403080101009000"),
    (["when": ["tag": "82"], "what": ["kind": "duplicated"]], "770E8202004082020040940408010100" + "9000"),
    (["when": ["tag": "94"], "what": ["kind": "missing"]], "7704820200409000"),
    (["when": ["tag": "77"], "what": ["kind": "missing"]], "9000"),
    (["when": ["tag": "82"], "what": ["kind": "value", "value": "0140"]], "770A820201409404080101009000"),
    (["when": ["tag": "94"], "what": ["kind": "value", "value": ""]], "77068202004094009000"),
    (["when": ["tag": "77"], "what": ["kind": "value", "value": "9F070100"]], "77049F0701009000"),
    (
      ["when": ["tag": "82"], "what": ["kind": "added", "objects": "9F070101"]], "770E820200409F0701019404080101009000"
    ),
    (["what": ["kind": "added", "objects": "9F070101"]], "770E820200409404080101009F0701019000"),
    // The same data object with three seeds.
    (["when": ["tag": "82"], "what": ["kind": "bad-tlv"], "seed": 0], "770A828500409404080101009000"),
    (["when": ["tag": "82"], "what": ["kind": "bad-tlv"], "seed": 1], "770A9F82804094040801" + "01009000"),
    (["when": ["tag": "82"], "what": ["kind": "bad-tlv"], "seed": 3], "770A828000409404080101009000"),
    // Without a tag the seed chooses the data object.
    (["what": ["kind": "wrong-length", "by": 2], "seed": 0], "770A820400409404080101009000"),
    (["what": ["kind": "duplicated"], "seed": 0], "7710820200409404080101009404080101009000"),
    (["what": ["kind": "missing"], "seed": 1], "7704820200409000"),
    // Nothing to change.
    (["when": ["tag": "9F26"], "what": ["kind": "missing"]], whole),
    (["when": ["tag": "9F07"], "what": ["kind": "value", "value": "00"]], whole),
    (
      ["when": ["tag": "94"], "what": ["kind": "value", "value": JSONValue(String(repeating: "00", count: 252))]], whole
    ),
    (["when": ["command": "SELECT"], "what": ["kind": "missing"]], whole),
    (["when": ["exchange": 2], "what": ["kind": "missing"]], whole),
    (["what": ["kind": "delay", "milliseconds": 1_500]], whole),
    (["what": ["kind": "link-lost"]], "6F00"),
    (["what": ["kind": "chained"]], "610C"),
    (["what": ["kind": "chained", "octets": 5]], "6105"),
    (["what": ["kind": "length-corrected"]], "6C0C"),
  ]

  @Test(arguments: table.indices)
  func `each kind of fault changes the bytes of the table and no others`(_ row: Int) throws {
    let journal = FaultJournal()
    var injector = try Self.injector([Self.table[row].fault], journal)
    #expect(try answer(&injector, Self.options) == Self.table[row].expected)
    let isHonest = Self.table[row].expected == Self.whole && Self.table[row].fault["what"]?["kind"] != "delay"
    #expect(journal.faults.count == (isHonest ? 0 : 1))
  }

  @Test func `a bad TLV is unreadable with every seed`() throws {
    for seed in UInt64(0)..<200 {
      var injector = try Self.injector([["what": ["kind": "bad-tlv"], "seed": JSONValue(seed)]], FaultJournal())
      let octets = try Array([UInt8](hex: answer(&injector, Self.options)).dropLast(2))
      #expect((try? [TLVNode](parsing: octets.span)) == nil, "seed \(seed)")
    }
  }

  @Test func `an answer without data objects is not changed by kinds that need one`() throws {
    for kind in ["bad-tlv", "duplicated", "missing", "chained", "length-corrected"] {
      let journal = FaultJournal()
      var injector = try Self.injector([["what": ["kind": JSONValue(kind)]]], journal, answering: "6A82")
      #expect(try answer(&injector, Self.options) == "6A82", "\(kind)")
      #expect(journal.faults.isEmpty)
    }
  }

  @Test(arguments: [
    ["when": ["tag": "57"], "what": ["kind": "value", "value": "4761739001010010D30122011143878089"]] as JSONValue,
    ["when": ["tag": "9F26"], "what": ["kind": "value", "value": "1122334455667788"]],
    ["when": ["tag": "77"], "what": ["kind": "value", "value": "9F36020001"]],
    ["what": ["kind": "added", "objects": "700A5A084761739001010010"]],
    ["what": ["kind": "added", "objects": "9F4B0100"]],
  ])
  func `no fault replaces or adds an account number, a counter or a cryptogram`(_ fault: JSONValue) {
    #expect(throws: CardProfileError.self) { try CardFaultPlan(json: [fault]) }
  }

  @Test func `a duplicate is added only when the answer has at most 256 bytes with it`() throws {
    for (count, isDone) in [(124, true), (125, false)] {
      // 77 81 LL { 5A ... }: the data object twice and the head of the template.
      let object = TLVNode(0x9F7E, [UInt8](repeating: 1, count: count - 1))
      let whole = TLVNode(0x77, [object]).encoded + [0x90, 0x00]
      let journal = FaultJournal()
      var injector = try Self.injector([["what": ["kind": "duplicated"]]], journal, answering: whole.hex)
      let answered = try answer(&injector, Self.options)
      #expect((answered != whole.hex) == isDone)
      #expect(answered.utf8.count / 2 <= shortResponseCapacity)
    }
  }

  @Test func `a delay calls the sleep port once, before the answer`() throws {
    let journal = FaultJournal()
    var injector = try Self.injector([["what": ["kind": "delay", "milliseconds": 1_500]]], journal)
    _ = try answer(&injector, Self.options)
    #expect(journal.slept == [.milliseconds(1_500)])
    #expect(journal.losses == 0)
  }

  @Test func `a lost link calls the leave port; no later rule applies`() throws {
    let journal = FaultJournal()
    let rules: [JSONValue] = [["what": ["kind": "link-lost"]], ["what": ["kind": "delay", "milliseconds": 5]]]
    var injector = try Self.injector(rules, journal)
    #expect(try answer(&injector, Self.options) == "6F00")
    #expect(journal.losses == 1)
    #expect(journal.slept.isEmpty)
  }

  @Test func `GET RESPONSE returns a chained answer in parts; the card gets one command`() throws {
    var injector = try Self.injector([["what": ["kind": "chained", "octets": 5]]], FaultJournal())
    #expect(try answer(&injector, Self.options) == "6105")
    #expect(try answer(&injector, "00C0000005") == "770A8202006105")
    // Fewer bytes than announced.
    #expect(try answer(&injector, "00C0000002") == "40946105")
    #expect(try answer(&injector, "00C0000000") == "04080101006105".dropLast(4) + "9000")
    #expect(injector.base.commands == 1)
    // Nothing is left: the card gets the next command.
    _ = try answer(&injector, "00C0000005")
    #expect(injector.base.commands == 2)
  }

  @Test func `another command or the field ends a chain`() throws {
    var injector = try Self.injector([["what": ["kind": "chained"], "times": 1]], FaultJournal())
    #expect(try answer(&injector, Self.options) == "610C")
    #expect(try answer(&injector, "00B2010C00") == Self.whole)
    injector = try Self.injector([["what": ["kind": "chained"], "times": 1]], FaultJournal())
    _ = try answer(&injector, Self.options)
    injector.fieldChanged(.reset, at: Instant(nanoseconds: 0))
    #expect(try answer(&injector, "00C000000C") == Self.whole)
    #expect(injector.base.commands == 2)
    #expect(injector.base.events == [.reset])
  }

  @Test func `an answer of 256 bytes is announced as 6100 or 6C00`() throws {
    let data = [UInt8](repeating: 0x42, count: 256)
    for (kind, announced, again) in [("chained", "6100", "00C0000000"), ("length-corrected", "6C00", "00B2010C00")] {
      var injector = try Self.injector(
        [["what": ["kind": JSONValue(kind)]]], FaultJournal(), answering: data.hex + "9000")
      #expect(try answer(&injector, "00B2010C00") == announced)
      #expect(try answer(&injector, again) == data.hex + "9000")
      #expect(injector.base.commands == 1)
    }
  }

  @Test func `a corrected answer needs the right Le and the same command`() throws {
    var injector = try Self.injector([["what": ["kind": "length-corrected"], "times": 1]], FaultJournal())
    #expect(try answer(&injector, Self.options) == "6C0C")
    #expect(try answer(&injector, Self.options) == "6C0C")
    #expect(try answer(&injector, "80A8000002830005") == "6C0C")
    #expect(injector.base.commands == 1)
    #expect(try answer(&injector, "80A800000283000C") == Self.whole)
    #expect(injector.base.commands == 1)
    var other = try Self.injector([["what": ["kind": "length-corrected"], "times": 1]], FaultJournal())
    _ = try answer(&other, Self.options)
    #expect(try answer(&other, "00B2010C0C") == Self.whole)
    #expect(other.base.commands == 2)
  }
}

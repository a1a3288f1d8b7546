import CardFaults
import Ciphers
import EMVCard
import Fixtures
import Foundation
import ISO7816
import JSON
import Octets
import Synchronization
import Testing

extension FaultInjectorTests {
  @Test func `a rule applies by its times, its exchange and its probability`() throws {
    let journal = FaultJournal()
    var twice = try Self.injector([["what": ["kind": "status", "status": "6F00"], "times": 2]], journal)
    #expect(try (0..<4).map { _ in try answer(&twice, Self.options) } == ["6F00", "6F00", Self.whole, Self.whole])
    var third = try Self.injector([["when": ["exchange": 3], "what": ["kind": "status", "status": "6F00"]]], journal)
    #expect(try (0..<4).map { _ in try answer(&third, Self.options) } == [Self.whole, Self.whole, "6F00", Self.whole])
    third.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    #expect(try (0..<3).map { _ in try answer(&third, Self.options) } == [Self.whole, Self.whole, "6F00"])
    let rare: JSONValue = ["what": ["kind": "status", "status": "6F00"], "percent": 25, "seed": 3]
    var rarely = try Self.injector([rare], FaultJournal())
    let hits = try (0..<1_000).count { _ in try answer(&rarely, Self.options) == "6F00" }
    #expect((200...300).contains(hits))
  }

  @Test func `the same seed gives the same faults; another seed gives others`() throws {
    func run(_ seed: UInt64) throws -> ([String], [InjectedFault]) {
      let journal = FaultJournal()
      let rules: [JSONValue] = ["bad-tlv", "duplicated", "missing"].map {
        ["what": ["kind": JSONValue($0)], "percent": 50, "seed": JSONValue(seed)]
      }
      var injector = try Self.injector(rules, journal)
      return (try (0..<40).map { _ in try answer(&injector, Self.options) }, journal.faults)
    }
    let (first, again, other) = (try run(11), try run(11), try run(12))
    #expect(first.0 == again.0)
    #expect(first.1 == again.1)
    #expect(first.0 != other.0)
  }

  @Test func `all rules that are due apply in their order`() throws {
    let journal = FaultJournal()
    var injector = try Self.injector(
      [
        ["what": ["kind": "delay", "milliseconds": 7]], ["when": ["tag": "82"], "what": ["kind": "missing"]],
        ["when": ["tag": "82"], "what": ["kind": "duplicated"]],
        ["what": ["kind": "status", "status": "6282", "keepsData": true]],
        ["what": ["kind": "chained"]], ["what": ["kind": "truncated", "octets": 1]],
      ], journal)
    #expect(try answer(&injector, Self.options) == "6108")
    #expect(try answer(&injector, "00C0000008") == "77069404080101006282")
    #expect(journal.faults.map(\.rule) == [0, 1, 3, 4])
  }

  @Test func `a fault has a text and a JSON form`() throws {
    let journal = FaultJournal()
    var injector = try Self.injector(
      [
        ["when": ["tag": "82"], "what": ["kind": "wrong-length", "by": -1]],
        ["what": ["kind": "delay", "milliseconds": 20]],
      ], journal)
    _ = try answer(&injector, Self.options)
    #expect(
      journal.faults.map(\.description) == [
        "fault at exchange 1, GET PROCESSING OPTIONS: length changed by -1 (faults[0], wrong-length, tag 82)",
        "fault at exchange 1, GET PROCESSING OPTIONS: answered 20 ms late (faults[1], delay)",
      ])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(journal.faults[0]), as: UTF8.self)
    #expect(
      json
        == #"{"command":"GET PROCESSING OPTIONS","detail":"length changed by -1","exchange":1,"kind":"wrong-length","#
        + #""rule":0,"tag":"82"}"#)
  }

  @Test func `a use is spent whatever fault its answer has`() throws {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    var card = Card(image: image)
    let keys = TripleDESKeys(count: image.applications.flatMap(\.keyRoles).count) { _ in
      Secret(copying: [UInt8](repeating: 0x23, count: 16))
    }
    card.arm(
      Arming(
        for: image, keys: keys, method: .passcode, counters: image.applications.map(\.firstATC),
        deadline: Instant(nanoseconds: 1_000)))
    #expect(respond(&card, try [UInt8](hex: "00A4040007A000000003101000")).suffix(2) == [0x90, 0x00])
    let plan = try CardFaultPlan(json: [["what": ["kind": "status", "status": "6F00"], "times": 1]])
    var injector = FaultInjector(consume card, plan: plan, ports: FaultJournal().ports)
    let options = try [UInt8](
      hex: "80A80000238321328040000000000012340000000000000276000000000009782611210052BF458500")
    #expect(respond(&injector, options) == [0x6F, 0x00])
    #expect(injector.base.isArmed == false)
    #expect(respond(&injector, options) == [0x69, 0x85])
  }

  private func respond<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, _ command: [UInt8]
  ) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
    let count = buffer.withMutableOctets { responder.respond(to: command.span, at: Instant(nanoseconds: 0), into: &$0) }
    return Array(buffer[..<count])
  }

  @Test func `every kind of fault survives 50 000 mutated commands and answers`() throws {
    var generator = SplitMix64(seed: 2026)
    let kinds: [JSONValue] = [
      ["kind": "bad-tlv"], ["kind": "wrong-length", "by": 3], ["kind": "duplicated"], ["kind": "missing"],
      ["kind": "truncated", "octets": 3], ["kind": "chained", "octets": 7], ["kind": "length-corrected"],
    ]
    let rules: [JSONValue] = kinds.map { ["what": $0, "percent": 30, "seed": 5] }
    var injector = try Self.injector(rules, FaultJournal())
    let seed = try [UInt8](hex: Self.whole)
    for round in 0..<50_000 {
      var octets = seed
      for _ in 0..<generator.next() % 4 {
        octets[Int(generator.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      if generator.next() % 5 == 0 { octets = Array(octets.prefix(2 + Int(generator.next() % 12))) }
      injector.base.answer = octets
      let command = (0..<generator.next() % 9).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let answered = try answer(&injector, round % 3 == 0 ? "00C0000000" : command.hex)
      guard answered.utf8.count >= 4 else {
        Issue.record("round \(round): \(command.hex) got \(answered)")
        return
      }
    }
  }
}

import CardFaults
import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import EMVTerminal
import Fixtures
import Foundation
import ISO7816
import JSON
import Links
import Octets
import PaymentAcceptance
import Synchronization
import TestSupport
import Testing

@Suite("The project's own terminal at a card with faults", .blocks, .timeLimit(.minutes(20)))
struct FaultTests {
  static let kinds: [JSONValue] = [
    ["kind": "status", "status": "6F00"], ["kind": "status", "status": "6283", "keepsData": true],
    ["kind": "status", "status": "0000"],
    ["kind": "status", "status": "6110", "keepsData": true], ["kind": "status", "status": "6C00"], ["kind": "bad-tlv"],
    ["kind": "wrong-length", "by": 1], ["kind": "wrong-length", "by": -1], ["kind": "wrong-length", "by": 127],
    ["kind": "truncated", "octets": 1], ["kind": "truncated", "octets": 256], ["kind": "duplicated"],
    ["kind": "missing"],
    ["kind": "delay", "milliseconds": 60_000], ["kind": "chained"], ["kind": "chained", "octets": 1],
    ["kind": "length-corrected"],
    ["kind": "link-lost"],
  ]

  static let image = Result { try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json"))) }
  static let configuration = Result {
    try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
  }

  static func armedCard() throws -> Card {
    let image = try image.get()
    let issuer = try [UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")
    let keys = TripleDESKeys(count: 1) { index in
      let application = image.applications[index]
      let master = deriveICCMasterKey(
        from: Secret(copying: issuer), application.cryptogramVersion.derivation,
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber)
      return application.cryptogramVersion.cryptogramKey(masterKey: master, atc: 1)
    }
    var card = Card(image: image)
    card.arm(Arming(for: image, keys: keys, method: .finger, counters: [1], deadline: Instant(nanoseconds: .max)))
    return card
  }

  /// Pays with a card that has one fault. Returns the outcome and how often the fault happened.
  static func pay(_ kind: JSONValue, exchange: Int, seed: UInt64) throws -> (kind: PaymentOutcome.Kind, faults: Int) {
    try pay([["when": ["exchange": JSONValue(exchange)], "what": kind, "seed": JSONValue(seed)]])
  }

  /// Pays with a card that has faults. A payment that the link ends has an outcome too.
  static func pay(
    _ faults: [JSONValue], host: ApprovingHost = ApprovingHost()
  ) throws -> (kind: PaymentOutcome.Kind, faults: Int) {
    let configuration = try configuration.get()
    let count = Counter()
    let ports = FaultPorts(sleep: { _ in }, leave: {}, report: { _ in count.add() })
    let request = PaymentRequest(
      amount: try Amount("12.34", exponent: 2), currency: try #require(configuration.currency("EUR")),
      date: try #require(TransactionDate(year: 2026, month: 11, day: 20)),
      time: try #require(TransactionTime(hour: 9, minute: 5, second: 59)))
    let plan = try CardFaultPlan(json: JSONValue(faults))
    let card = try armedCard()
    let terminal = PaymentAcceptance(
      configuration: configuration, host: host, clock: SystemClock(), random: SeededRandomSource(seed: 1))
    var channel = DirectChannel(FaultInjector(card, plan: plan, ports: ports))
    do throws(AcceptanceFailure) {
      return (try terminal.accept(request, over: &channel).outcome.kind, count.value)
    } catch {
      return (try #require(error.outcome).kind, count.value)
    }
  }

  /// A host that approves each request and counts them.
  struct ApprovingHost: AuthorizationHost {
    let requests = Counter()

    func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
      requests.add()
      return .approved(code: "000001")
    }
  }

  final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  /// For each row of `kinds`, the outcomes at the exchanges 1 to 5 over eight seeds: A for approved, E for end
  /// application, AE where the seed decides which data object the fault changes.
  static let outcomes = [
    "E E E E E", "E E E E E", "E E E E E", "E E E E E", "A A E A A", "E E E E E", "E AE E AE AE", "E E AE E E",
    "E E AE E E", "E E E E E", "E E E E E", "AE AE E E E", "AE AE AE AE A", "A A A A A", "A A A A A", "A A A A A",
    "A A A A A", "E E E E E",
  ]

  @Test(arguments: kinds.indices)
  func `each kind of fault has its outcome at each exchange`(_ row: Int) throws {
    let kind = Self.kinds[row]
    let expected = Self.outcomes[row].split(separator: " ")
    try #require(expected.count == 5)
    for exchange in 1...5 {
      var found: Set<PaymentOutcome.Kind> = []
      for seed in UInt64(0)..<8 {
        let result = try Self.pay(kind, exchange: exchange, seed: seed)
        #expect(result.faults == 1, "\(kind["kind"]?.text ?? "") at exchange \(exchange), seed \(seed)")
        found.insert(result.kind)
      }
      let names = expected[exchange - 1]
      let outcomes: Set<PaymentOutcome.Kind> = Set(names.map { $0 == "A" ? .approved : .endApplication })
      #expect(found == outcomes, "\(kind["kind"]?.text ?? "") at exchange \(exchange)")
    }
    // The payment has five exchanges, so a fault at the sixth never happens.
    let untouched = try Self.pay(kind, exchange: 6, seed: 0)
    #expect(untouched.kind == .approved)
    #expect(untouched.faults == 0)
  }

  @Test func `400 plans of random faults are approved exactly when the host approves`() throws {
    var generator = SplitMix64(seed: 31)
    var outcomes: [PaymentOutcome.Kind: Int] = [:]
    for round in 0..<400 {
      let faults: [JSONValue] = (0..<3).map { _ in
        // A card profile holds seeds of 63 bits.
        [
          "what": Self.kinds[Int(generator.next() % UInt64(Self.kinds.count))], "percent": 30,
          "seed": JSONValue(generator.next() >> 1),
        ]
      }
      let host = ApprovingHost()
      let result = try Self.pay(faults, host: host)
      #expect(host.requests.value == (result.kind == .approved ? 1 : 0), "round \(round): \(result.kind), \(faults)")
      outcomes[result.kind, default: 0] += 1
    }
    // Both happen often, so neither half of the statement is empty.
    #expect(outcomes[.approved, default: 0] >= 20)
    #expect(outcomes[.endApplication, default: 0] >= 200)
  }

  // MARK: As its user runs it

  static func accept(_ card: String, _ further: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", "loopback:\(card)", "--amount", "12.34", "--currency", "978", "--format", "json"]
          + further))
  }

  static let shipped: [(card: String, code: Int32, outcome: String?, faults: [String])] = [
    ("faulty-chained", 0, "approved", ["chained", "chained", "length-corrected", "delay"]),
    ("faulty-cryptogram", 2, "end application", ["duplicated"]), ("faulty-records", 2, "end application", ["bad-tlv"]),
    ("faulty-link", 2, nil, ["link-lost"]),
  ]

  @Test(arguments: shipped.indices)
  func `a shipped fault plan works with --faults, and is only mentioned without`(_ row: Int) throws {
    let (card, code, outcome, faults) = Self.shipped[row]
    let on = try Self.accept(TapProgram.card(card), "--faults")
    #expect(on.code == code, "\(on.errors)")
    if let outcome { #expect(try on.json()["outcome"] as? String == outcome) }
    let lines = on.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
    let told = try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["kind"] as? String
    }
    #expect(told == faults)
    #expect(!on.errors.contains("which is off"))
    let off = try Self.accept(TapProgram.card(card))
    #expect(off.code == 0, "\(off.errors)")
    #expect(off.errors.contains("which is off: --faults of tap present and tap accept asks for it."))
    #expect(!off.errors.contains("\"kind\""))
  }

  @Test(arguments: 1...5)
  func `a card that leaves at any exchange ends the payment there`(_ exchange: Int) throws {
    let scratch = try Scratch()
    let profile = String(decoding: try Fixtures.data("Cards/faulty-link.json"), as: UTF8.self)
      .replacingOccurrences(of: "\"exchange\": 3", with: "\"exchange\": \(exchange)")
    let run = try Self.accept(try scratch.write("c.json", profile), "--faults")
    #expect(run.code == 2)
    #expect(run.errors.contains("the link failed in exchange \(exchange): the card was removed"), "\(run.errors)")
  }

  @Test(arguments: [1_500, 2_500])
  func `an answer to the last command that is delayed by more than a second arrives`(_ milliseconds: Int) throws {
    let scratch = try Scratch()
    let fault = "{\"when\": {\"exchange\": 5}, \"what\": {\"kind\": \"delay\", \"milliseconds\": \(milliseconds)}}"
    let profile = String(decoding: try Fixtures.data("Cards/faulty-link.json"), as: UTF8.self)
      .replacingOccurrences(
        of: "{\"when\": {\"exchange\": 3}, \"what\": {\"kind\": \"link-lost\"}, \"times\": 1}", with: fault)
    let card = try scratch.write("c.json", profile)
    let accepted = try Self.accept(card, "--faults")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.errors.contains("\(milliseconds) ms late"))
    let presented = try TapProgram.run("present", "--link", "loopback", "--card", card, "--faults")
    #expect(presented.code == 0, "\(presented.errors)")
  }

  @Test func `tap present reports faults on standard error, and a torn link ends the payment`() throws {
    let chained = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("faulty-chained"), "--faults")
    #expect(chained.code == 0, "\(chained.errors)")
    #expect(chained.errors.contains("fault at exchange 11, GET PROCESSING OPTIONS: 6Cxx for the right Le"))
    let torn = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("faulty-link"), "--faults")
    #expect(torn.code == 2, "\(torn.errors)")
    #expect(torn.errors.contains("transmissionError"))
  }

  @Test func `--faults without a plan, or where it cannot be, is refused`() throws {
    let none = try Self.accept(TapProgram.card("visa-cvn18"), "--faults")
    #expect(none.code == 2)
    #expect(none.errors.contains("--faults needs a fault plan"))
    let unverified = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--faults")
    #expect(unverified.code == 2 && !unverified.errors.contains("Verifying"), "\(unverified.errors)")
    for arguments in [
      ["accept", "--reader", "pcsc:x", "--amount", "1", "--currency", "978", "--faults"],
      ["present", "--link", "loopback", "--wallet", "x", "--faults"],
      ["present", "--link", "loopback", "--card", "x", "--faults", "--unarmed"],
      ["present", "--link", "loopback", "--card", "x", "--faults", "--record", "y"],
    ] {
      let run = try TapProgram.finish(TapProgram.start(arguments))
      #expect(run.code == 64)
      #expect(run.errors.contains("--faults needs"), "\(run.errors)")
    }
  }

  // MARK: Personalisation files

  @Test func `a personalisation file pays wherever a profile does`() throws {
    let file = Fixtures.url("Cards/cps-visa.txt").path
    let accepted = try Self.accept(file)
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(accepted.errors.contains("DGI 8000, 48 bytes: skipped unread, keys come from the issuer"))
    let scratch = try Scratch()
    let recording = scratch.path("r.txt")
    let presented = try TapProgram.run("present", "--link", "loopback", "--card", file, "--record", recording)
    #expect(presented.code == 0, "\(presented.errors)")
    let replayed = try TapProgram.run("replay", recording)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    let added = try TapProgram.run("wallet", "add", "--wallet", scratch.path("w"), "--card", file)
    #expect(added.code == 0, "\(added.errors)")
    let paid = try TapProgram.run("present", "--link", "loopback", "--wallet", scratch.path("w"))
    #expect(paid.code == 0, "\(paid.errors)")
    for run in [accepted, presented, added, paid] { #expect(!run.errors.contains("0123456789ABCDEF")) }
  }

  @Test func `a broken personalisation file is refused with the place`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("c.txt", "0101 05 7000\n")
    let run = try Self.accept(file)
    #expect(run.code == 2)
    #expect(run.errors.contains("DGI 0101 at offset 0: the length is 5 bytes, but 2 are left"), "\(run.errors)")
  }
}

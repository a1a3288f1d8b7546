import DeviceAuthentication
import EMVCard
import EMVCryptography
import Fixtures
import ISO7816
import Links
import Octets
import Testing

@testable import ContactlessPayment

/// The states of the machine that the table distinguishes.
private enum Stage: CaseIterable {
  case idle, starting, authenticationRequired, waiting, authenticating, holding, armed, emulating, connected, spent,
    rearming, recoverable
  case ended
}

private enum Event: CaseIterable {
  case prepare, start, proceed, verified, present, presentHolding, terminalCame, fieldLost, reset
  case fieldLostAfterCryptogram, fieldLostAfterApproval, resetAfterCryptogram, rearmed, complete, end, linkEnded
}

/// A machine with what its events need.
private struct Bench: ~Copyable {
  var machine = SessionMachine()
  private let retryLimit: Int?
  private let store: InMemoryWalletStore
  private let order: StartedPayment
  private let record: TransactionRecord
  private let approval: TransactionRecord
  private let verifier: CardholderVerifier

  init(retryLimit: Int? = nil) async throws {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let unbound = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    let key = try await unbound.enrolKey()
    let verifier = unbound.bound(to: key)
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let store = InMemoryWalletStore()
    let binding = WalletBinding(policy: .biometricOnly, key: key)
    try store.bind(to: binding, dataKey: try await device.ports.keys.unseal(key.identifier))
    try store.add("card", image, keys: TestWallet.keys(for: image, uses: 9))
    let claim = try PaymentSlot().claim(of: 0) { _ in }
    let order = StartedPayment(card: try store.cards()[0], walletData: [], claim: claim)
    let record = try TestArming.record(of: image)
    (self.verifier, self.store, self.order, self.record) = (verifier, store, order, record)
    approval = TestArming.approval(record)
    self.retryLimit = retryLimit
  }

  private static func permit(_ verifier: CardholderVerifier) async throws -> Permit {
    Permit(redeeming: try await verifier.verify(nonce: [1]), nonce: [1], furtherUses: 1)
  }

  /// Sends an event and describes its result.
  mutating func send(_ event: Event) async throws -> String {
    switch event {
    case .prepare: return "\(machine.prepare())"
    case .start: return "\(machine.start(order))"
    case .proceed: return machine.proceed { Task {} } == nil ? "ignored" : "verification"
    case .verified: return Self.name(machine.verified(try await Self.permit(verifier), try store.reserve("card")))
    case .present: return present(holdingCommands: false)
    case .presentHolding: return present(holdingCommands: true)
    case .terminalCame: return "\(machine.terminalCame())"
    case .fieldLost: return left(.lost, nil)
    case .reset: return left(.reset, nil)
    case .fieldLostAfterCryptogram:
      return left(.lost, record)
    case .fieldLostAfterApproval: return left(.lost, approval, canRecover: true)
    case .resetAfterCryptogram:
      return left(.reset, record)
    case .rearmed: return Self.name(machine.rearmed(try store.reserve("card")))
    case .complete:
      return machine.complete(record).map { "\($0.settlement.map { "\($0.spent)" } ?? "settled before")" } ?? "ignored"
    case .end: return machine.end() == nil ? "false" : "true"
    case .linkEnded: return machine.linkEnded(record).map { "\($0.spent)" } ?? "nothing held"
    }
  }

  private mutating func left(_ event: FieldEvent, _ record: TransactionRecord?, canRecover: Bool = false) -> String {
    name(
      machine.terminalLeft(event, record, foundNothing: false, retryLimit: retryLimit, canRecover: canRecover))
  }

  private static func name(_ result: consuming SessionMachine.ArmingResult) -> String {
    switch result {
    case .armed: "armed"
    case .refused(let settlement): settlement.spent.isEmpty ? "released" : "spent"
    }
  }

  private mutating func present(holdingCommands: Bool) -> String {
    var mode = ""
    do throws(EmulationRefusal) {
      try machine.present(holdingCommands: holdingCommands) { _, holds in
        mode = holds ? "held" : "served"
        return Presentation(link: FailingLink(), listener: Task {})
      }
      return mode
    } catch { return "\(error)" }
  }

  private func name(_ departure: SessionMachine.Departure) -> String {
    switch departure {
    case .ignored: "ignored"
    case .interrupted(let count): "interrupted \(count)"
    case .spent(let settlement): "spent \(settlement.spent)"
    case .furtherUse(let settlement): "further use, settling \(settlement.map { "\($0.spent)" } ?? "nothing")"
    case .recoverable(let settlement): "recoverable, settling \(settlement.spent)"
    case .ended(let error, let settlement): "ended \(error.name) \(settlement.map { "\($0.spent)" } ?? "nothing")"
    case .afterEnd: "after the end"
    }
  }

  var stage: Stage {
    let isPresented = machine.presentation != nil
    return switch machine.stage {
    case .preparing(.idle): .idle
    case .preparing(.starting): .starting
    case .preparing(.authenticationRequired): isPresented ? .waiting : .authenticationRequired
    case .preparing(.authenticating): isPresented ? .holding : .authenticating
    case .armed: isPresented ? (machine.isConnected ? .connected : .emulating) : .armed
    case .spent: .spent
    case .rearming: .rearming
    case .recoverable: .recoverable
    case .ended: .ended
    }
  }

  /// The events that lead to a stage.
  mutating func lead(to stage: Stage) async throws {
    let path: [Event] =
      switch stage {
      case .idle: []
      case .starting: [.prepare]
      case .authenticationRequired: [.prepare, .start]
      case .waiting: [.prepare, .start, .presentHolding]
      case .authenticating: [.prepare, .start, .proceed]
      case .holding: [.prepare, .start, .presentHolding, .proceed]
      case .armed: [.prepare, .start, .proceed, .verified]
      case .emulating: [.prepare, .start, .proceed, .verified, .present]
      case .connected: [.prepare, .start, .proceed, .verified, .present, .terminalCame]
      case .spent: [.prepare, .start, .proceed, .verified, .present, .terminalCame, .resetAfterCryptogram]
      case .rearming: [.prepare, .start, .proceed, .verified, .present, .terminalCame, .fieldLostAfterCryptogram]
      case .recoverable: [.prepare, .start, .proceed, .verified, .present, .terminalCame, .fieldLostAfterApproval]
      case .ended: [.prepare, .start, .end]
      }
    for event in path { _ = try await send(event) }
  }
}

@Suite("The session machine")
struct SessionMachineTests {
  /// For each event its result where it changes nothing, and its result and next stage where it does.
  private static let table: [Event: (ignored: String, taken: [Stage: (result: String, next: Stage)])] = [
    .prepare: ("false", [.idle: ("true", .starting)]),
    .start: ("false", [.starting: ("true", .authenticationRequired)]),
    .proceed: (
      "ignored", [.authenticationRequired: ("verification", .authenticating), .waiting: ("verification", .holding)]
    ),
    .verified: ("released", [.authenticating: ("armed", .armed), .holding: ("armed", .emulating)]),
    .terminalCame: ("false", [.emulating: ("true", .connected)]),
    .fieldLost: (
      "ignored",
      [
        .connected: ("interrupted 1", .emulating), .spent: ("further use, settling nothing", .rearming),
        .recoverable: ("ended furtherUseRefused nothing", .ended),
      ]
    ),
    .reset: ("ignored", [.connected: ("interrupted 1", .emulating)]),
    .fieldLostAfterCryptogram: (
      "ignored",
      [
        .emulating: ("further use, settling [0]", .rearming), .connected: ("further use, settling [0]", .rearming),
        .spent: ("further use, settling nothing", .rearming),
        .recoverable: ("ended furtherUseRefused nothing", .ended),
      ]
    ),
    .fieldLostAfterApproval: (
      "ignored",
      [
        .emulating: ("recoverable, settling [0]", .recoverable),
        .connected: ("recoverable, settling [0]", .recoverable),
        .spent: ("further use, settling nothing", .rearming),
        .recoverable: ("ended furtherUseRefused nothing", .ended),
      ]
    ),
    .resetAfterCryptogram: (
      "ignored", [.emulating: ("spent [0]", .spent), .connected: ("spent [0]", .spent)]
    ),
    .rearmed: ("released", [.rearming: ("armed", .emulating)]),
    .complete: (
      "ignored",
      [.emulating: ("[0]", .ended), .connected: ("[0]", .ended), .recoverable: ("settled before", .ended)]
    ),
    .linkEnded: ("nothing held", [:]),
  ]

  @Test func `every event in every state changes only what the table says`() async throws {
    for (event, row) in Self.table {
      for stage in Stage.allCases {
        var bench = try await Bench()
        try await bench.lead(to: stage)
        #expect(bench.stage == stage)
        var expected = row.taken[stage] ?? (row.ignored, stage)
        let isFieldEvent = [
          .fieldLost, .reset, .fieldLostAfterCryptogram, .fieldLostAfterApproval, .resetAfterCryptogram,
        ].contains(event)
        if stage == .ended, isFieldEvent { expected.result = "after the end" }
        #expect(try await bench.send(event) == expected.result, "\(event) in \(stage)")
        #expect(bench.stage == expected.next, "\(event) in \(stage)")
      }
    }
  }

  @Test func `emulation starts when armed, or before that with held commands, and each refusal has its reason`()
    async throws
  {
    for stage in Stage.allCases {
      for holds in [false, true] {
        var bench = try await Bench()
        try await bench.lead(to: stage)
        let expected: (result: String, next: Stage) =
          switch stage {
          case .armed: ("served", .emulating)
          case .authenticationRequired where holds: ("held", .waiting)
          case .authenticating where holds: ("held", .holding)
          case .idle, .starting, .authenticationRequired, .authenticating:
            ("\(EmulationRefusal.notAuthenticated)", stage)
          case .waiting, .holding, .emulating, .connected, .spent, .rearming, .recoverable:
            ("\(EmulationRefusal.alreadyEmulating)", stage)
          case .ended: ("\(EmulationRefusal.sessionEnded)", stage)
          }
        #expect(try await bench.send(holds ? .presentHolding : .present) == expected.result, "\(stage) \(holds)")
        #expect(bench.stage == expected.next, "\(stage) \(holds)")
      }
    }
  }

  @Test(arguments: [nil, 0, 1, 10])
  func `interruptions are counted, and the one above the limit ends the session`(_ limit: Int?) async throws {
    var bench = try await Bench(retryLimit: limit)
    try await bench.lead(to: .emulating)
    for count in 1...11 {
      _ = try await bench.send(.terminalCame)
      if count > limit ?? 11 {
        #expect(try await bench.send(.fieldLost) == "ended transmissionError nothing")
        #expect(bench.stage == .ended)
        return
      }
      #expect(try await bench.send(.fieldLost) == "interrupted \(count)")
      #expect(try await bench.send(.fieldLost) == "ignored")
      #expect(bench.machine.interruptions == count)
    }
  }

  @Test func `every state but the last ends once`() async throws {
    for stage in Stage.allCases {
      var bench = try await Bench()
      try await bench.lead(to: stage)
      #expect(try await bench.send(.end) == (stage == .ended ? "false" : "true"))
      #expect(try await bench.send(.end) == "false")
      #expect(bench.stage == .ended)
    }
  }

  @Test func `a card keeps its uses after the end until its link has ended, and then spends what it computed`()
    async throws
  {
    var bench = try await Bench()
    try await bench.lead(to: .connected)
    _ = try await bench.send(.end)
    #expect(try await bench.send(.linkEnded) == "[0]")
    #expect(try await bench.send(.linkEnded) == "nothing held")
  }

  @Test func `the record of a spent use does not spend the further use`() async throws {
    var bench = try await Bench()
    try await bench.lead(to: .rearming)
    _ = try await bench.send(.rearmed)
    _ = try await bench.send(.terminalCame)
    #expect(try await bench.send(.fieldLostAfterCryptogram) == "interrupted 2")
    _ = try await bench.send(.end)
    #expect(try await bench.send(.linkEnded) == "[]")
  }
}

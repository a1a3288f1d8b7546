import Testing

@testable import ContactlessPayment

@Suite("The session machine: every event in every state")
struct SessionMachineTests {
  typealias State = SessionMachine.State
  typealias Machine = SessionMachine

  /// The way to each state.
  static func machine(in state: State, retryLimit: Int? = nil) -> Machine {
    var machine = Machine(retryLimit: retryLimit)
    let steps: [State: [(inout Machine) -> Void]] = [
      .idle: [],
      .authenticationRequired: [{ _ = $0.start() }],
      .authenticating: [{ _ = $0.start() }, { _ = $0.proceed() }],
      .armed: [{ _ = $0.start() }, { _ = $0.proceed() }, { _ = $0.verified() }],
      .waiting: [{ _ = $0.start() }, { _ = $0.startEmulation(holdingCommands: true) }],
      .holding: [
        { _ = $0.start() }, { _ = $0.startEmulation(holdingCommands: true) }, { _ = $0.proceed() },
      ],
      .emulating: [
        { _ = $0.start() }, { _ = $0.proceed() }, { _ = $0.verified() }, { _ = $0.startEmulation() },
      ],
      .connected: [
        { _ = $0.start() }, { _ = $0.proceed() }, { _ = $0.verified() }, { _ = $0.startEmulation() },
        { _ = $0.terminalCame() },
      ],
      .ended: [{ _ = $0.end() }],
    ]
    for step in steps[state] ?? [] { step(&machine) }
    return machine
  }

  /// An event, and where it leads from the states in which it is taken.
  static let moves: [(name: String, event: @Sendable (inout Machine) -> Bool, ways: [State: State])] = [
    ("start", { $0.start() }, [.idle: .authenticationRequired]),
    ("proceed", { $0.proceed() }, [.authenticationRequired: .authenticating, .waiting: .holding]),
    ("verified", { $0.verified() }, [.authenticating: .armed, .holding: .emulating]),
    ("terminalCame", { $0.terminalCame() }, [.emulating: .connected]),
    ("terminalLeft", { $0.terminalLeft() != .ignored }, [.connected: .emulating]),
    ("startEmulation", { $0.startEmulation() == .serve }, [.armed: .emulating]),
  ]

  @Test(arguments: moves.indices)
  func `an event is taken in its states and ignored in all others`(_ row: Int) {
    let (name, event, ways) = Self.moves[row]
    for state in State.allCases {
      var machine = Self.machine(in: state)
      #expect(machine.state == state)
      #expect(event(&machine) == (ways[state] != nil), "\(name) in \(state)")
      #expect(machine.state == ways[state] ?? state, "\(name) in \(state)")
    }
  }

  @Test func `emulation starts from armed, or holding commands before that, and each refusal says why`() {
    for state in State.allCases {
      for holds in [false, true] {
        var machine = Self.machine(in: state)
        let expected: (Machine.EmulationResult, State) =
          switch state {
          case .armed: (.serve, .emulating)
          case .authenticationRequired where holds: (.hold, .waiting)
          case .authenticating where holds: (.hold, .holding)
          case .idle, .authenticationRequired, .authenticating: (.refused(.notAuthenticated), state)
          case .waiting, .holding, .emulating, .connected: (.refused(.alreadyEmulating), state)
          case .ended: (.refused(.sessionEnded), state)
          }
        #expect(machine.startEmulation(holdingCommands: holds) == expected.0, "\(state) \(holds)")
        #expect(machine.state == expected.1, "\(state) \(holds)")
      }
    }
  }

  @Test(arguments: [nil, 0, 1, 10])
  func `interruptions are counted, and the one above the limit is told apart`(_ limit: Int?) {
    var machine = Self.machine(in: .emulating, retryLimit: limit)
    for count in 1...11 {
      _ = machine.terminalCame()
      let expected: Machine.Departure = count > limit ?? 11 ? .limitPassed(count) : .interrupted(count)
      #expect(machine.terminalLeft() == expected)
      #expect(machine.terminalLeft() == .ignored)
      #expect(machine.interruptions == count)
    }
  }

  @Test(arguments: State.allCases)
  func `every state but the last ends once`(_ state: State) {
    var machine = Self.machine(in: state)
    #expect(machine.end() == (state != .ended))
    let again = machine.end()
    #expect(!again)
    #expect(machine.state == .ended)
  }
}

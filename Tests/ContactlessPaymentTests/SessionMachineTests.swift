import Testing

@testable import ContactlessPayment

@Suite("The session machine: every event in every state")
struct SessionMachineTests {
  typealias State = SessionMachine.State

  static func machine(in state: State) -> SessionMachine {
    var machine = SessionMachine()
    let steps: [(inout SessionMachine) -> Void] = [
      { _ = $0.start() }, { _ = $0.proceed() }, { _ = $0.verified() }, { _ = $0.startEmulation() },
      { _ = $0.terminalCame() }, { _ = $0.end() },
    ]
    for step in steps where machine.state != state { step(&machine) }
    return machine
  }

  /// An event, the one state in which it is taken, and the state it leads to.
  static let moves: [(name: String, event: @Sendable (inout SessionMachine) -> Bool, from: State, to: State)] = [
    ("start", { $0.start() }, .idle, .authenticationRequired),
    ("proceed", { $0.proceed() }, .authenticationRequired, .authenticating),
    ("verified", { $0.verified() }, .authenticating, .armed),
    ("terminalCame", { $0.terminalCame() }, .emulating, .connected),
    ("terminalLeft", { $0.terminalLeft() }, .connected, .emulating),
  ]

  @Test("an event is taken in one state and ignored in all others", arguments: moves.indices)
  func takesEvent(_ row: Int) {
    let (name, event, from, to) = Self.moves[row]
    for state in State.allCases {
      var machine = Self.machine(in: state)
      #expect(machine.state == state)
      #expect(event(&machine) == (state == from), "\(name) in \(state)")
      #expect(machine.state == (state == from ? to : state), "\(name) in \(state)")
    }
  }

  @Test("emulation starts from armed only, and each refusal says why", arguments: State.allCases)
  func emulation(_ state: State) {
    var machine = Self.machine(in: state)
    let expected: SessionMachine.EmulationResult =
      switch state {
      case .armed: .serve
      case .idle, .authenticationRequired, .authenticating: .refused(.notAuthenticated)
      case .emulating, .connected: .refused(.alreadyEmulating)
      case .ended: .refused(.sessionEnded)
      }
    #expect(machine.startEmulation() == expected)
    #expect(machine.state == (state == .armed ? .emulating : state))
  }

  @Test("every state but the last ends once", arguments: State.allCases)
  func end(_ state: State) {
    var machine = Self.machine(in: state)
    #expect(machine.end() == (state != .ended))
    let again = machine.end()
    #expect(!again)
    #expect(machine.state == .ended)
  }
}

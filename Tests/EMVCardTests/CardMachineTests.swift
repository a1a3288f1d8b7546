import EMVCard
import Testing

/// Compares every event in every state with the model in `CardMachine`.
@Suite("The model of a Visa card")
struct CardMachineTests {
  static let machines = [CardMachine.visa]

  static let phases: [Character: CardPhase] = [
    "i": .idle, "e": .engaged, "d": .cryptogramDelivered, "c": .completed,
  ]

  @Test(arguments: machines)
  func `every event in every state has the answer, the phase and the use of the model`(_ machine: CardMachine) throws {
    for row in machine.rows {
      for place in CardPlace.allCases {
        for use in CardUse.allCases { try check(row, machine, place, use) }
      }
    }
  }

  private func check(_ row: CardMachine.Row, _ machine: CardMachine, _ place: CardPlace, _ use: CardUse) throws {
    let here = "\(row.name), \(place), \(use)"
    var card = try machine.card(place, use)
    let (phase, wasArmed) = (card.phase, card.isArmed)
    #expect(wasArmed == (use == .armed || use == .expired), "\(here)")
    let expected = row.cell(place, use)
    let status = try machine.happen(row.event, to: &card)
    #expect(status == expected.prefix(4), "\(here)")
    let next = expected.last.flatMap { $0 == "=" ? phase : Self.phases[$0] }
    let reached = card.phase
    #expect(reached == next, "\(here)")
    let isArmed = card.isArmed
    #expect(isArmed == Self.staysArmed(row.event, expected, wasArmed), "\(here)")
    let isRefused = card.refusal == .verificationExpired
    // Only a command that asks for a computation in the right stage checks the deadline.
    let isAsked = ["GPO", "GPO with a short Le"].contains(row.name) && [.selected, .reselected].contains(place)
    #expect(isRefused == (use == .expired && isAsked), "\(here)")
    let hasRecord = card.record != nil
    #expect(!hasRecord || !isArmed, "\(here)")
  }

  /// A computation and disarming end a use; only arming gives one.
  private static func staysArmed(_ event: CardEvent, _ expected: String, _ wasArmed: Bool) -> Bool {
    switch event {
    case .arm: true
    case .disarm: false
    case .command: wasArmed && !expected.hasSuffix("d")
    case .field: wasArmed
    }
  }

  @Test(arguments: machines)
  func `the model has a cell for every place and no two equal states`(_ machine: CardMachine) throws {
    for row in machine.rows {
      #expect(row.cells.count == CardPlace.allCases.count, "\(row.name)")
      for cell in row.cells.map({ $0.split(separator: "/") }) {
        #expect(cell.count == 1 || cell.count == CardUse.allCases.count, "\(row.name)")
        #expect(cell.allSatisfy { $0.count == 5 }, "\(row.name)")
      }
    }
    #expect(Set(machine.rows.map(\.name)).count == machine.rows.count)
  }

  /// The phases of the states at the start, by place and use.
  @Test(arguments: machines)
  func `every state of the model has the phase and the use of its name`(_ machine: CardMachine) throws {
    let expected: [CardPlace: [CardPhase]] = [
      .idle: [.idle, .idle, .idle, .idle], .engaged: [.engaged, .engaged, .engaged, .engaged],
      .selected: [.engaged, .engaged, .engaged, .engaged],
      .initiated: [.cryptogramDelivered, .engaged, .cryptogramDelivered, .engaged],
      .completed: [.completed, .engaged, .completed, .engaged],
      .reselected: [.cryptogramDelivered, .engaged, .cryptogramDelivered, .engaged],
    ]
    for (place, phases) in expected {
      for (use, phase) in zip(CardUse.allCases, phases) {
        let card = try machine.card(place, use)
        let found = card.phase
        #expect(found == phase, "\(place), \(use)")
      }
    }
  }
}

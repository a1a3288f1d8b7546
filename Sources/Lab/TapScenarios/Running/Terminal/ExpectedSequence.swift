/// Compares the commands of a tap with an expected sequence, in which a step may have alternatives and a number.
struct ExpectedSequence {
  private let steps: [TerminalExpectations.Step]

  init(_ steps: [TerminalExpectations.Step]) { self.steps = steps }

  /// A place at which the commands leave the sequence.
  struct Difference: Equatable {
    /// The index of the command; the number of commands when one is missing at the end.
    let index: Int
    /// The names that the sequence allows there; empty when the tap should have ended.
    let expected: [String]
  }

  /// The first command that no reading of the sequence allows; nil when the commands are as expected.
  func difference(in names: [String]) -> Difference? {
    // Every state in which the sequence can be: a step, and how often it has been taken.
    var states: Set<State> = closure([State(step: 0, count: 0)])
    for (index, name) in names.enumerated() {
      let next = closure(Set(states.compactMap { taking(name, from: $0) }))
      if next.isEmpty { return Difference(index: index, expected: expected(in: states)) }
      states = next
    }
    let isComplete = states.contains { $0.step == steps.count }
    return isComplete ? nil : Difference(index: names.count, expected: expected(in: states))
  }

  private struct State: Hashable {
    let step: Int
    let count: Int
  }

  private func taking(_ name: String, from state: State) -> State? {
    guard state.step < steps.count, state.count < steps[state.step].counts.upperBound,
      steps[state.step].names.contains(name)
    else { return nil }
    return State(step: state.step, count: state.count + 1)
  }

  /// The states, and those that are reached from them without a command.
  private func closure(_ states: Set<State>) -> Set<State> {
    var all = states
    for state in states {
      var (step, count) = (state.step, state.count)
      while step < steps.count, count >= steps[step].counts.lowerBound {
        (step, count) = (step + 1, 0)
        all.insert(State(step: step, count: count))
      }
    }
    return all
  }

  private func expected(in states: Set<State>) -> [String] {
    let possible = states.filter { $0.step < steps.count && $0.count < steps[$0.step].counts.upperBound }
    var names: [String] = []
    for state in possible.sorted(by: { $0.step < $1.step }) {
      for name in steps[state.step].names where !names.contains(name) { names.append(name) }
    }
    return names
  }
}

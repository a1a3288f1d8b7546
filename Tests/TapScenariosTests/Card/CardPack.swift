import Octets
import Synchronization
import TapScenarios

/// The runs of the pack `Fixtures/CardTests` with cards of this process.
enum CardPack {
  /// Makes all taps of a scenario. A time that was exceeded counts as a difference.
  static func verdict(on card: any TestedCard, in file: ScenarioFile) async throws -> PackVerdict {
    var verdict = PackVerdict()
    guard let test = file.scenario.cardTest else { return verdict }
    let count = file.scenario.repeatCount
    let trial = try await CardTrial(file, of: card, taps: count)
    var check = CardCheck(test)
    for _ in 1...count {
      let tap = try await trial.tap()
      verdict.failures += check.failures(in: tap) + check.lateness(in: tap)
    }
    return verdict
  }

  /// The mutants that a scenario finds. A mutant that would change nothing of what this project's card sends and receives
  /// is not run: it is that card.
  static func found(by file: ScenarioFile) async throws -> [(fault: String, verdict: PackVerdict)] {
    let own = WatchedCard()
    guard try await verdict(on: own, in: file).isPassed else { return [] }
    var found: [(fault: String, verdict: PackVerdict)] = []
    for mutant in CardMutant.all where mutant.changes(own.events) {
      let verdict = try await verdict(on: MutantCard(mutant), in: file)
      if !verdict.isPassed { found.append((mutant.fault, verdict)) }
    }
    return found
  }
}

/// What happens to a card.
enum CardEvent: Sendable {
  case powered
  case exchange(command: [UInt8], response: [UInt8])
}

/// The card of this project, which keeps what happens to it.
final class WatchedCard: TestedCard {
  private let kept = Mutex<[CardEvent]>([])

  var events: [CardEvent] { kept.withLock(\.self) }
  var random: any RandomSource { SystemRandomSource() }

  func answer(_ command: [UInt8], clock: ManualClock, by card: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let response = card(command)
    kept.withLock { $0.append(.exchange(command: command, response: response)) }
    return response
  }

  func powered() { kept.withLock { $0.append(.powered) } }
}

extension CardMutant {
  /// Whether the mutant would change a command, a response, a time or a random number.
  func changes(_ events: [CardEvent]) -> Bool {
    if random() is ConstantRandomSource { return true }
    let card = MutantCard(self)
    let clock = ManualClock()
    return events.contains { event in
      switch event {
      case .powered:
        card.powered()
        return false
      case .exchange(let command, let response):
        var isChanged = false
        let answer = card.answer(command, clock: clock) { changed in
          isChanged = changed != command
          return response
        }
        return isChanged || answer != response || clock.now > Instant(nanoseconds: 0)
      }
    }
  }
}

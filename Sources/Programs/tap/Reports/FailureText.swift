import CardExploration
import EMVDecoding
import TapScenarios
import Transcripts

/// The exchanges of a tap that did not pass, with their octets and meaning.
struct FailureText: Sendable {
  private let disclosure: Disclosure

  init(_ disclosure: Disclosure) { self.disclosure = disclosure }

  /// The lines of the exchanges that the failures name, or of all when they name none.
  ///
  /// - Parameter transcript: The exchanges, unredacted.
  func lines(_ transcript: Transcript, _ verdict: ScenarioRun.Verdict) -> [String] {
    let numbers: Set<Int> =
      if case .failed(let failures) = verdict { Set(failures.compactMap(\.exchange)) } else { [] }
    var context = DecodingContext()
    return disclosure.shown(transcript).exchanges.enumerated().flatMap { index, exchange in
      // The meaning follows from the exchanges before it.
      let lines = ExchangeText.lines(exchange, &context)
      guard numbers.isEmpty || numbers.contains(index + 1) else { return [String]() }
      return [ExchangeText.title(exchange, number: index + 1, .asked)] + lines
    }
  }
}

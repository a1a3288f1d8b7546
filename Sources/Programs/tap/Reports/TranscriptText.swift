import CardExploration
import EMVDecoding
import TapScenarios
import Transcripts

/// The exchanges of a tap with their bytes and meaning.
struct TranscriptText: Sendable {
  private let disclosure: Disclosure

  init(_ disclosure: Disclosure) { self.disclosure = disclosure }

  /// The lines of some exchanges, or of all.
  ///
  /// - Parameters:
  ///   - transcript: The exchanges, unredacted.
  ///   - numbers: The numbers of the exchanges, from 1 on; none for all.
  func lines(_ transcript: Transcript, only numbers: Set<Int> = []) -> [String] {
    var context = DecodingContext()
    return disclosure.shown(transcript).exchanges.enumerated().flatMap { index, exchange in
      // The meaning follows from the exchanges before it.
      let lines = ExchangeText.lines(exchange, &context)
      guard numbers.isEmpty || numbers.contains(index + 1) else { return [String]() }
      return [ExchangeText.title(exchange, number: index + 1, .asked)] + lines
    }
  }
}

extension ScenarioRun.Verdict {
  /// The numbers of the exchanges that the failures name.
  var exchanges: Set<Int> {
    if case .failed(let failures) = self { Set(failures.compactMap(\.exchange)) } else { [] }
  }
}

import EMVIssuer
import EMVTerminal
import PaymentAcceptance
import Synchronization
import PaymentSimulation
import TapScenarios
import Transcripts

/// A place with one recording for each payment of a scenario. A recording that cannot be read, or that was cut, leaves its
/// own payment without a judgement, and no other.
final class RecordedTaps: PaymentPlace {
  private let places: [Result<ReplayedCard, ScenarioNotJudged>]
  private let position = Mutex(0)

  /// - Parameters:
  ///   - files: The recordings, in the order of the payments: one or more.
  ///   - keys: The keys of the issuer that decides; nil for a host that decides as recorded.
  init(files: [String], keys: IssuerKeys?) {
    places = files.map { file in
      let place: ReplayedCard
      do { place = try ReplayedCard(file: file, keys: keys) } catch {
        return .failure(ScenarioNotJudged("\(error)", isOfOneTap: true))
      }
      guard let truncation = place.recording?.truncation else { return .success(place) }
      return .failure(ScenarioNotJudged("\(file): \(truncation)", isOfOneTap: true))
    }
  }

  private var next: ReplayedCard? { try? places[position.withLock(\.self)].get() }

  /// False: no person holds the card.
  var isAttended: Bool { false }
  /// The recording of the next payment; nil for one that cannot be judged.
  var recording: Transcript? { next?.recording }
  /// The host of the next payment.
  func host() -> any AuthorizationHost { next?.host() ?? NoHost() }

  /// Takes a payment with the next recording.
  ///
  /// - Throws: `ScenarioNotJudged` for a recording that cannot be read or was cut, and as `ReplayedCard`.
  func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
    let index = position.withLock { position in
      defer { position = min(position + 1, places.count - 1) }
      return position
    }
    return try await places[index].get().take(request, at: terminal)
  }
}

import CardExploration
import EMVIssuer
import Links
import Octets
import PaymentAcceptance
import ProgramSupport
import TapScenarios
import Transcripts

extension TestReader {
  /// Opens the place of a scenario with steps.
  ///
  /// - Parameters:
  ///   - keys: The keys of the issuer; nil for those of the test issuer.
  ///   - recordings: Those of an earlier run, in place of a card; nil for a card, and for a single recording.
  func cardPlace(
    for file: ScenarioFile, taps: Int, keys: IssuerKeys?, _ recordings: TestRecordings?
  ) async throws -> CardTestPlace {
    let keys = keys ?? .publicTest
    if let recordings, let test = file.scenario.cardTest {
      return CardTestPlace(
        isAttended: false, isRecorded: true, tap: { number, _ in try recordings.cardTap(of: file, test, number) })
    }
    switch self {
    case .scenarioCards:
      let trial = try await CardTrial(file, taps: taps, keys: keys)
      return CardTestPlace(isAttended: false, tap: { _, _ in try await trial.tap() })
    case .reader(let reader) where reader.kind.hasOwnCard:
      let trial = try await CardTrial(file, profile: Files.profile(reader.name), taps: taps, keys: keys)
      return CardTestPlace(isAttended: false, tap: { _, _ in try await trial.tap() })
    case .reader(let reader): return try await reader.cardPlace(for: file, taps: taps)
    }
  }
}

extension ReaderName {
  /// The card at a reader, or a recorded one.
  fileprivate func cardPlace(for file: ScenarioFile, taps: Int) async throws -> CardTestPlace {
    guard let test = file.scenario.cardTest else { throw InputError(description: "\(file.path) has no steps") }
    if kind.isRecorded, try RecordingDirectory.recordings(at: name, of: file) != nil {
      throw ScenarioNotJudged("\(name) has no recording of \(test.id): tap test --record DIR makes them")
    }
    if kind.isDevice, kind.takesReaderCommands, test.steps.contains(where: \.sendsPartOfHeader) {
      throw ScenarioNotApplicable("a PC/SC reader sends no command that is shorter than its header of 4 bytes")
    }
    let payments = try await open(ReaderOptions())
    try payments.recording?.checkUnmasked(name)
    if let truncation = payments.recording?.truncation { throw ScenarioNotJudged("\(name): \(truncation)") }
    let visit = CardVisit(test, clock: SystemClock(), recording: payments.recording) { pause(for: $0) }
    let (kind, name) = (kind, name)
    let isJudged = !kind.isRecorded || taps == 1 && file.scenario.card.isVerified
    return CardTestPlace(
      isAttended: payments.isAttended, isRecorded: kind.isRecorded,
      tap: { _, wait in
        guard isJudged else {
          throw LinkError(
            .recordingDiffers, "a recording is one tap of a verified card: the scenario needs another one")
        }
        let place = try await kind.card(name)
        return try await place.withField(timeout: wait) { field in
          Result { () throws(LinkError) in try visit.tap(at: &field, timeout: wait) }
        }.get()
      },
      waitForRemoval: { try await payments.waitForRemoval(timeout: $0) })
  }
}

extension CardStep {
  /// Whether the step sends fewer bytes than the header of a command has.
  fileprivate var sendsPartOfHeader: Bool {
    guard case .send(let form) = action, case .bytes(let octets) = form.kind else { return false }
    return octets.count < 4
  }
}

import ArgumentParser
import CardExploration
import EMVCard
import EMVIssuer
import Links
import Octets
import PaymentAcceptance
import ProgramSupport
import TapScenarios
import Transcripts

/// Where `tap test` finds its cards.
struct TestReader: Sendable {
  /// Nil in this process, with the card that each scenario names.
  let reader: ReaderName?

  /// The reader of a run with any number of scenarios, for a report.
  var name: String {
    reader.map { "\($0.kind.prefix):\($0.name)" } ?? "loopback, with the card that each scenario names"
  }

  /// Whether the card is recorded.
  var isRecorded: Bool { reader?.kind.isRecorded ?? false }

  /// The recordings of an earlier run of `tap test`, which are judged again; nil for every other place.
  ///
  /// - Throws: `FileError` and `InputError` for recordings that cannot be read.
  func recordings() throws -> TestRecordings? {
    guard let reader, reader.kind.isRecorded else { return nil }
    return try TestRecordings.replayed(at: reader.name)
  }

  /// The reader of a series, for a report.
  func name(of series: ScenarioSeries) -> String { reader == nil ? "loopback:\(series.cardFile ?? "")" : name }

  /// Whether the card is in this process, so that it can have faults.
  var hasOwnCard: Bool { reader?.kind.hasOwnCard ?? true }

  /// Whether the card of a scenario is one in this process whose data may be shown. A random value of it that looks like an
  /// account number needs no mask then.
  func shows(_ disclosure: Disclosure, of file: ScenarioFile) throws -> Bool {
    guard hasOwnCard else { return false }
    let card = try CardFiles.card(reader?.name ?? file.card(), faults: true)
    return card.applications.allSatisfy { disclosure.shows($0.accountNumber) }
  }
}

extension TestReader: ExpressibleByArgument {
  init?(argument: String) {
    reader = ReaderName(argument: argument)
    if reader == nil, argument != "loopback" { return nil }
  }

  static var allValueStrings: [String] { ["loopback"] + ReaderName.allValueStrings }
}

extension TestReader {
  /// The number of taps of a scenario.
  ///
  /// - Parameter asked: What the command line asks for; nil for the number of the recordings or of the scenario.
  /// - Throws: `InputError` for more taps than there are recordings.
  func count(of file: ScenarioFile, asked: Int?) throws -> Int {
    // A scenario that judges a terminal is not applicable here, once.
    if file.scenario.terminalTest != nil { return 1 }
    // The taps of a scenario with steps are not payments.
    let recordings = file.scenario.cardTest == nil ? try reader?.recordings(of: file) ?? [] : []
    guard !recordings.isEmpty else { return asked ?? file.scenario.repeatCount }
    let (limit, count) = (recordings.count, asked ?? recordings.count)
    if count > limit {
      throw InputError(
        description:
          "--repeat \(count): there \(limit == 1 ? "is 1 recording" : "are \(limit) recordings") of \(file.path)",
        exit: .usage)
    }
    return count
  }

  /// Opens the reader for the payments of a scenario.
  ///
  /// - Parameters:
  ///   - keys: The keys of the issuer; nil for those of the test issuer.
  ///   - isDestructive: Whether a scenario may spend many uses of a card of a person, or block it.
  /// - Throws: `ScenarioNotApplicable` for such a scenario without that.
  func open(
    _ file: ScenarioFile, taps: Int, keys: IssuerKeys?, isDestructive: Bool
  ) async throws -> any PaymentPlace {
    let (scenario, card) = (file.scenario, file.scenario.card)
    if !hasOwnCard, !isRecorded, scenario.isDestructive, !isDestructive { throw ScenarioNotApplicable.destructive }
    if let reader, let recordings = try reader.recordings(of: file) {
      guard !recordings.isEmpty else { throw ScenarioNotJudged("\(reader.name) has no recording of \(file.path)") }
      return RecordedTaps(files: recordings, keys: keys)
    }
    let place = try reader ?? ReaderName(.loopback, file.card())
    return try await place.open(
      ReaderOptions(
        payments: taps, faults: hasOwnCard && card.isFaulty ? .text : nil, isVerified: card.isVerified, keys: keys))
  }
}

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
    if let reader, !reader.kind.hasOwnCard { return try await reader.cardPlace(for: file, taps: taps) }
    let profile = try reader.map { try CardFiles.profile($0.name) }
    let trial = try await CardTrial(file, profile: profile, taps: taps, keys: keys)
    return CardTestPlace(isAttended: false, tap: { _, _ in try await trial.tap() })
  }
}

extension ReaderName {
  /// The card at a reader, or a recorded one.
  fileprivate func cardPlace(for file: ScenarioFile, taps: Int) async throws -> CardTestPlace {
    guard let test = file.scenario.cardTest else {
      throw InputError(description: "\(file.path) has no steps", exit: .notRight)
    }
    if try recordings(of: file) != nil {
      throw ScenarioNotJudged("\(name) has no recording of \(test.identity.id): tap test --record DIR makes them")
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

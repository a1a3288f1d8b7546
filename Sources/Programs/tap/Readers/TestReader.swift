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
import WholeFiles

/// Where `tap test` finds its cards.
struct TestReader: Sendable {
  /// Nil in this process, with the card that each scenario names.
  let reader: ReaderName?

  /// The taps of a scenario.
  func series(for file: ScenarioFile) throws -> TapSeries {
    if let reader { return try reader.series(for: file) }
    return TapSeries(count: nil) { try await ReaderName(.loopback, try file.card()).open($0) }
  }

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
    let card = try Files.card(reader?.name ?? file.card(), faults: true)
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

/// A scenario, the number of its taps, and the reader that takes them.
struct TestItem: Sendable {
  let file: ScenarioFile
  let count: Int
  private let series: TapSeries
  private let hasOwnCard: Bool
  private let isRealCard: Bool

  /// - Parameter asked: The number of taps that the command line asks for; nil for that of the recordings or scenario.
  /// - Throws: `FileError` for more taps than there are recordings.
  init(_ file: ScenarioFile, at reader: TestReader, asked: Int?) throws {
    self.file = file
    hasOwnCard = reader.hasOwnCard
    isRealCard = !reader.hasOwnCard && !reader.isRecorded
    // A scenario that judges a terminal is not applicable here, once, and the taps of one with steps are not payments.
    if file.scenario.terminalTest != nil || file.scenario.cardTest != nil {
      count = file.scenario.terminalTest != nil ? 1 : asked ?? file.scenario.repeatCount
      series = try TestReader(reader: nil).series(for: file)
      return
    }
    series = try reader.series(for: file)
    count = asked ?? series.count ?? file.scenario.repeatCount
    if let limit = series.count, count > limit {
      throw InputError(
        description:
          "--repeat \(count): there \(limit == 1 ? "is 1 recording" : "are \(limit) recordings") of \(file.path)")
    }
  }

  /// Opens the reader.
  ///
  /// - Parameters:
  ///   - keys: The keys of the issuer; nil for those of the test issuer.
  ///   - isDestructive: Whether a scenario may spend many uses of a card of a person, or block it.
  /// - Throws: `ScenarioNotApplicable` for such a scenario without that.
  func open(_ keys: IssuerKeys?, isDestructive: Bool) async throws -> any PaymentPlace {
    if isRealCard, file.scenario.isDestructive, !isDestructive { throw ScenarioNotApplicable.destructive }
    let card = file.scenario.card
    return try await series.open(
      ReaderOptions(
        payments: count, faults: hasOwnCard && card.isFaulty ? .text : nil, isVerified: card.isVerified,
        keys: keys))
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
    let profile = try reader.map { try Files.profile($0.name) }
    let trial = try await CardTrial(file, profile: profile, taps: taps, keys: keys)
    return CardTestPlace(isAttended: false, tap: { _, _ in try await trial.tap() })
  }
}

extension ReaderName {
  /// The card at a reader, or a recorded one.
  fileprivate func cardPlace(for file: ScenarioFile, taps: Int) async throws -> CardTestPlace {
    guard let test = file.scenario.cardTest else { throw InputError(description: "\(file.path) has no steps") }
    if kind.isRecorded, try RecordingDirectory.recordings(at: name, of: file) != nil {
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

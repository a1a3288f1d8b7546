import ArgumentParser
import EMVIssuer
import PaymentAcceptance
import ProgramSupport
import TapScenarios
import WholeFiles

/// Where `tap test` finds its cards.
enum TestReader: Sendable {
  /// In this process, the card that each scenario names.
  case scenarioCards
  case reader(ReaderName)

  /// The taps of a scenario.
  func series(for file: ScenarioFile) throws -> TapSeries {
    switch self {
    case .scenarioCards: TapSeries(count: nil) { try await ReaderName(.loopback, try file.card()).open($0) }
    case .reader(let name): try name.series(for: file)
    }
  }

  /// The reader of a run with any number of scenarios, for a report.
  var name: String {
    switch self {
    case .scenarioCards: "loopback, with the card that each scenario names"
    case .reader(let name): "\(name.kind.prefix):\(name.name)"
    }
  }

  /// Whether the card is recorded.
  var isRecorded: Bool { if case .reader(let name) = self { name.kind.isRecorded } else { false } }

  /// The recordings of an earlier run of `tap test`, which are judged again; nil for every other place.
  ///
  /// - Throws: `FileError` and `InputError` for recordings that cannot be read.
  func recordings() throws -> TestRecordings? {
    guard case .reader(let name) = self, name.kind.isRecorded else { return nil }
    return try TestRecordings.replayed(at: name.name)
  }

  /// The reader of a series, for a report.
  func name(of series: ScenarioSeries) -> String {
    switch self {
    case .scenarioCards: "loopback:\(series.cardFile ?? "")"
    case .reader: name
    }
  }

  /// Whether the card is in this process, so that it can have faults.
  var hasOwnCard: Bool {
    switch self {
    case .scenarioCards: true
    case .reader(let name): name.kind.hasOwnCard
    }
  }
}

extension TestReader: ExpressibleByArgument {
  init?(argument: String) {
    if argument == "loopback" {
      self = .scenarioCards
    } else if let name = ReaderName(argument: argument) {
      self = .reader(name)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["loopback"] + ReaderName.allValueStrings }
}

/// A scenario, the number of its taps, and the reader that takes them.
struct TestItem: Sendable {
  let file: ScenarioFile
  let count: Int
  private let series: TapSeries
  private let hasOwnCard: Bool

  /// - Parameter asked: The number of taps that the command line asks for; nil for that of the recordings or scenario.
  /// - Throws: `FileError` for more taps than there are recordings.
  init(_ file: ScenarioFile, at reader: TestReader, asked: Int?) throws {
    self.file = file
    hasOwnCard = reader.hasOwnCard
    // A scenario that judges a terminal is not applicable here, once, and the taps of one with steps are not payments.
    if file.scenario.terminalTest != nil || file.scenario.cardTest != nil {
      count = file.scenario.terminalTest != nil ? 1 : asked ?? file.scenario.repeatCount
      series = try TestReader.scenarioCards.series(for: file)
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
  /// - Parameter keys: The keys of the issuer; nil for those of the test issuer.
  func open(_ keys: IssuerKeys?) async throws -> any PaymentPlace {
    let card = file.scenario.card
    return try await series.open(
      ReaderOptions(
        payments: count, faults: hasOwnCard && card.isFaulty ? .text : nil, isVerified: card.isVerified,
        keys: keys))
  }
}

import Fixtures
import Foundation
import Testing

@testable import TapScenarios

/// Runs of scenarios with steps: their verdicts and what is reported of them.
@Suite("Runs of card tests")
struct CardRunTests {
  /// The series of a scenario of the pack.
  ///
  /// - Parameters:
  ///   - profile: The card in place of that of the scenario.
  ///   - fault: The mutant in place of this project's card.
  ///   - hasLinkShare: Whether the time that the link takes is known.
  static func series(
    _ name: String, profile: String? = nil, fault: String? = nil, isDestructive: Bool = false,
    hasLinkShare: Bool = true
  ) async throws -> ScenarioSeries {
    let terminal = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let file = try ScenarioFile(Fixtures.url("CardTests/\(name).yaml").path, terminal: terminal)
    let card = try profile.map { try [UInt8](Fixtures.data("Cards/\($0).json")) }
    let mutant = try fault.map { fault in try #require(CardMutant.all.first { $0.fault == fault }) }
    var options = ScenarioRunner.Options()
    options.isDestructive = isDestructive
    let runner = ScenarioRunner(
      .cards(
        payments: { _, _ in throw CancellationError() },
        commands: { file, taps in
          let tested: any TestedCard = mutant.map { MutantCard($0) } ?? OwnCard()
          let trial = try await CardTrial(file, profile: card, of: tested, taps: taps)
          return CardTestPlace(
            isAttended: false,
            tap: { _, _ in
              var tap = try await trial.tap()
              if !hasLinkShare { tap.linkShare = nil }
              return tap
            })
        }), options)
    let all = await runner.run([(file, file.scenario.repeatCount)])
    return try #require(all.first)
  }

  @Test func `a scenario that may block the card is run on request only`() async throws {
    let left = try await Self.series("Instructions/card-block")
    #expect(left.runs.map(\.verdict.name) == ["not applicable"])
    #expect(left.runs.first?.exchangeCount == 0)
    #expect(left.runs.first?.verdict.sentences.first?.contains("--destructive") == true)
    let made = try await Self.series("Instructions/card-block", isDestructive: true)
    #expect(made.runs.map(\.verdict.name) == ["passed"])
  }

  @Test func `a scenario for an application that the card lacks is not applicable, and no tap of it is missing`()
    async throws
  {
    let series = try await Self.series("Counters/k2-20-taps", profile: "visa-cvn18")
    #expect(series.runs.map(\.verdict.name) == ["not applicable"] && series.count == 20 && series.missing == 0)
  }

  @Test func `a scenario for another kernel of the same provider is not applicable`() async throws {
    let other = try await Self.series("Relay/length", profile: "visa-fdda")
    #expect(other.runs.map(\.verdict.name) == ["not applicable"])
    let own = try await Self.series("Relay/length")
    #expect(own.runs.map(\.verdict.name) == ["passed"])
  }

  @Test func `GENERATE AC is not applicable to a card of mag-stripe mode alone`() async throws {
    let series = try await Self.series("Kernel2/arqc", profile: "mastercard-magstripe")
    #expect(series.runs.map(\.verdict.name) == ["not applicable"])
  }

  @Test func `a difference fails, names the exchange, and is a warning where the rule is one`() async throws {
    let failed = try await Self.series("Kernel2/length", fault: "cryptogram of seven bytes")
    #expect(failed.runs.map(\.verdict.name) == ["failed"])
    let sentences = failed.runs.first?.verdict.sentences ?? []
    #expect(
      sentences.count == 1
        && sentences[0].hasSuffix("GENERATE AC: lengths of values: expected tag 9F26 of 8 bytes, got 7 bytes"),
      "\(sentences)")
    let warned = try await Self.series("Directory/part-of-name", fault: "directory by a part of its name")
    #expect(warned.runs.map(\.verdict.name) == ["warning"])
  }

  @Test func `a slow card fails at the loopback, whose share of the time does not count`() async throws {
    let series = try await Self.series("Times/whole-k3", fault: "slow options")
    #expect(series.runs.map(\.verdict.name) == ["failed"])
    #expect(
      series.runs.first?.verdict.sentences == ["time of the whole tap: expected at most 400.000 ms, got 450.000 ms"])
  }

  @Test func `a slow card gets a warning at a reader whose share of the time is not known`() async throws {
    let series = try await Self.series("Times/whole-k3", fault: "slow options", hasLinkShare: false)
    #expect(series.runs.map(\.verdict.name) == ["warning"])
    #expect(
      series.runs.first?.verdict.sentences == ["time of the whole tap: expected at most 400.000 ms, got 480.000 ms"])
  }

  @Test func `the identifier and the rule are those of the file`() async throws {
    let series = try await Self.series("Kernel3/request")
    #expect(series.id == "K3-01" && series.rule == "EMV Contactless Book C-3 v2.11, annex A")
  }
}

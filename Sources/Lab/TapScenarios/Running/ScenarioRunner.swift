public import PaymentAcceptance

/// Makes the taps of scenarios, one after the other, and judges each by the expectations of its scenario.
public struct ScenarioRunner: Sendable {
  /// A scenario and the number of its taps, 1 or more.
  public typealias Item = (file: ScenarioFile, count: Int)

  /// Opens what a scenario judges: once, before the first tap. An error is the verdict on that tap, and no further tap of the
  /// scenario is made; `ScenarioNotApplicable` and `ScenarioNotJudged` are verdicts of their own.
  public typealias Opener<Place> = @Sendable (_ file: ScenarioFile, _ taps: Int) async throws -> Place

  /// Makes the tap of a number, from 1, at a terminal.
  public typealias TerminalTaps = @Sendable (_ number: Int) async throws -> TerminalTap

  /// What the scenarios of a run judge.
  public enum Subject: Sendable {
    /// Cards: by payments, and by single commands where they can be sent.
    case cards(payments: Opener<any PaymentPlace>, commands: Opener<CardTestPlace>? = nil)
    /// A terminal.
    case terminal(Opener<TerminalTaps>)
  }

  /// How a run goes on.
  public struct Options: Sendable {
    /// The wait for a card in seconds, in place of what the scenarios have; nil for what they have, or 60.
    public var timeout: Int?
    /// Whether the run ends at the first tap that does not pass.
    public var failsFast = false
    /// Whether the card stays at the reader between taps.
    public var cardStays = false
    /// Whether scenarios are run that spend many uses or may block the card.
    public var isDestructive = false
    /// The most taps that a person at a terminal is asked for; nil without a limit. A scenario with more does not apply.
    public var mostTaps: Int?

    /// Creates the options of a run without limits.
    public init() {}
  }

  private let subject: Subject
  private let options: Options
  private let observer: any ScenarioObserver

  /// Creates a runner.
  public init(
    _ subject: Subject, _ options: Options = Options(), observer: any ScenarioObserver = NoScenarioObserver()
  ) {
    (self.subject, self.options, self.observer) = (subject, options, observer)
  }

  /// Runs scenarios and returns their results.
  public func run(_ items: [Item]) async -> [ScenarioSeries] {
    let ledger = ScenarioLedger(items.map { ScenarioSeries($0.file, count: $0.count) })
    await run(items, into: ledger)
    return ledger.close() ?? []
  }

  /// Runs scenarios, and adds every tap to a ledger whose series are those of the scenarios.
  public func run(_ items: [Item], into ledger: ScenarioLedger) async {
    var invitation = CardInvitation(options, observer)
    for (index, item) in items.enumerated() {
      guard await run(item, index, ledger, &invitation) else { return }
    }
  }

  /// Why a scenario with so many taps is not run where a person is asked for each; nil when it is run.
  public static func reasonNotApplicable(_ count: Int, _ most: Int) -> String? {
    count > most ? "the scenario needs \(count) taps, more than \(most): run it alone with --repeat \(count)" : nil
  }

  // Returns whether to go on with the next scenario.
  private func run(
    _ item: Item, _ index: Int, _ ledger: ScenarioLedger, _ invitation: inout CardInvitation
  ) async -> Bool {
    do {
      var judge = try await judge(RunningScenario(item, index, options, observer), ledger)
      return await withTaskExecutorPreference(judge.executor) {
        await run(item, index, by: &judge, ledger, &invitation)
      }
    } catch {
      return add(JudgedTap(ScenarioRun(number: 1, endedBy: error)), index, ledger)
    }
  }

  private func judge(_ scenario: RunningScenario, _ ledger: ScenarioLedger) async throws -> any ScenarioJudge {
    let (file, count) = (scenario.file, scenario.count)
    switch (subject, file.scenario.cardTest, file.scenario.terminalTest) {
    case (.cards, _, .some):
      throw ScenarioNotApplicable("the scenario judges a terminal: use --link in place of --reader")
    case (.cards(_, let open), let test?, nil):
      if test.isDestructive, !options.isDestructive { throw ScenarioNotApplicable.destructive }
      guard let place = try await open?(file, count) else { throw ScenarioFileError("no card can be judged here") }
      return CardJudge(scenario, test, place)
    case (.cards(let open, _), nil, nil): return try await PaymentJudge(scenario, open(file, count))
    case (.terminal(let open), _, let test?):
      if let most = options.mostTaps, let reason = Self.reasonNotApplicable(count, most) {
        throw ScenarioNotApplicable(reason)
      }
      return try await TerminalJudge(scenario, test, ledger, take: open(file, count))
    case (.terminal, _, nil):
      throw ScenarioNotApplicable("the scenario judges a card: use --reader in place of --link")
    }
  }

  // Returns whether to go on with the next scenario.
  private func run(
    _ item: Item, _ index: Int, by judge: inout any ScenarioJudge, _ ledger: ScenarioLedger,
    _ invitation: inout CardInvitation
  ) async -> Bool {
    var number = 1
    while number <= item.count {
      let tap: JudgedTap
      do {
        guard let judged = try await judge.tap(number, &invitation) else { continue }
        tap = judged
      } catch {
        // Without a card or a terminal each further tap would wait for its whole time.
        let isLast = (error as? ScenarioNotJudged)?.isOfOneTap != true
        tap = JudgedTap(ScenarioRun(number: number, endedBy: error), isLast: isLast)
      }
      guard add(tap, index, ledger) else { return false }
      if tap.isLast { return true }
      number += 1
    }
    return true
  }

  // Returns whether to go on after the tap.
  private func add(_ tap: JudgedTap, _ index: Int, _ ledger: ScenarioLedger) -> Bool {
    observer.observe(tap.run, ledger.add(tap.run, tap.exchanges, toSeries: index), index, tap.payment)
    return !options.failsFast || tap.run.verdict.isAcceptable
  }
}

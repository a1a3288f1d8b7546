internal import Octets
internal import PaymentAcceptance
internal import Transcripts

/// Makes and judges the taps of one scenario.
protocol ScenarioJudge {
  /// The executor of the taps; nil for the cooperative pool.
  var executor: (any TaskExecutor)? { get }

  /// Makes the tap of a number, from 1.
  ///
  /// - Returns: Nil for a tap that is to be made again.
  /// - Throws: What is the verdict on the tap. Without `ScenarioNotJudged.isOfOneTap` no further tap is made.
  mutating func tap(_ number: Int, _ invitation: inout CardInvitation) async throws -> JudgedTap?
}

extension ScenarioJudge {
  var executor: (any TaskExecutor)? { nil }
}

/// A tap with its verdict.
struct JudgedTap {
  var run: ScenarioRun
  /// The exchanges whose latencies count.
  var exchanges: [Exchange] = []
  var payment: PaymentResult?
  /// Whether no further tap of the scenario is made.
  var isLast = false

  init(
    _ run: ScenarioRun, _ exchanges: [Exchange] = [], payment: PaymentResult? = nil, isLast: Bool = false
  ) {
    (self.run, self.exchanges, self.payment, self.isLast) = (run, exchanges, payment, isLast)
  }
}

/// A scenario in its run, with what its judge needs of the run.
struct RunningScenario: Sendable {
  let file: ScenarioFile
  /// The number of its taps.
  let count: Int
  /// Its place in the run.
  let index: Int
  let observer: any ScenarioObserver
  /// The longest wait for a card.
  let wait: Duration

  init(
    _ item: ScenarioRunner.Item, _ index: Int, _ options: ScenarioRunner.Options, _ observer: any ScenarioObserver
  ) {
    (file, count, self.index, self.observer) = (item.file, item.count, index, observer)
    wait = .seconds(options.timeout ?? file.scenario.timeout ?? 60)
  }

  /// Returns the text of a value for reports.
  var show: ScenarioCheck.Disclosure { { [observer] in observer.text(of: $0, $1) } }

  /// Adds the exchanges of a tap that did not pass in words.
  func explain(_ run: inout ScenarioRun, by transcript: Transcript) {
    if !run.verdict.isPassed { run.explanation = observer.explanation(of: transcript, run.verdict) }
  }

  /// Records a tap. A recording that cannot be written is an error of a tap that had none, and does not hide what a tap has
  /// failed.
  func keep(_ transcript: Transcript, _ run: inout ScenarioRun) {
    do {
      run.recording = try observer.record(transcript, of: file, index, run.number) ?? run.recording
    } catch {
      if run.verdict.isAcceptable { (run.verdict, run.cause) = (.error("\(error)"), error) }
    }
  }
}

/// The prompts to the person who brings the card of each tap to the reader.
struct CardInvitation {
  private let cardStays: Bool
  private let observer: any ScenarioObserver
  /// Whether a card of an earlier tap is there.
  var hasCard = false

  init(_ options: ScenarioRunner.Options, _ observer: any ScenarioObserver) {
    (cardStays, self.observer) = (options.cardStays, observer)
  }

  /// Asks for a tap, after the card of the tap before is away.
  func invite(
    to number: Int, of scenario: RunningScenario, by prompt: String, waitForRemoval: (Duration) async throws -> Void
  ) async throws {
    if hasCard, !cardStays {
      observer.prompt("Take the card away ...")
      try await waitForRemoval(scenario.wait)
    }
    let file = scenario.file
    observer.prompt(
      "\(file.scenario.name), tap \(number) of \(scenario.count) (\(file.price)): \(file.scenario.prompt ?? prompt)")
  }
}

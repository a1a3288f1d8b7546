import EMVData
import ISO7816
import PaymentAcceptance
import ProgramSupport
import TapReports
import TapScenarios
import Transcripts

/// The observer of a run of `tap test`: shows its taps, and keeps what the options ask for.
struct TestObserver: ScenarioObserver {
  let results: TestResults
  let subject: TestedSubject
  let disclosure: Disclosure
  /// Nil without `--record`.
  let recorder: (any TapRecorder)?
  /// Nil where a person acts at a terminal.
  let bar: ProgressBar?

  func text(of node: TLVNode, _ number: PrimaryAccountNumber?) -> String {
    // The card that a terminal gets is the scenario's own.
    guard case .cards = subject else { return DataElement.text(of: node.tag, node.value) }
    return number.map { disclosure.shown(node, of: $0) } ?? disclosure.shown(node)
  }

  func explanation(of transcript: Transcript, _ verdict: ScenarioRun.Verdict) -> [ExplainedExchange] {
    let isShown = results.showsExchanges || results.page != nil
    return isShown ? TranscriptText(disclosure).exchanges(transcript, only: verdict.exchanges) : []
  }

  func prompt(_ text: String) { Console.note(text) }

  func earlierTap(of file: ScenarioFile, _ number: Int) throws -> (tap: TerminalTap, path: String)? {
    recorder?.earlierTap(of: file, number)
  }

  func record(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String? {
    try recorder?.record(transcript, of: file, index, number)
  }

  func observe(_ run: ScenarioRun, _ series: ScenarioSeries, _ index: Int, _ payment: PaymentResult?) {
    results.page?.taps.add(run, payment, ofSeries: index)
    results.tell(run, series, isReal: subject.isAttended)
    if !results.showsTaps { bar?.add() }
  }
}

/// Keeps the recordings of a run.
protocol TapRecorder: Sendable {
  /// The tap of a terminal that an earlier run has recorded, and its file; nil for a tap that is to be made.
  func earlierTap(of file: ScenarioFile, _ number: Int) -> (tap: TerminalTap, path: String)?
  /// Writes the recording of a tap, and returns its path.
  func record(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String
}

/// Keeps the recordings of cards.
struct CardTapRecorder: TapRecorder {
  let directory: RecordingDirectory
  let disclosure: Disclosure
  let reader: TestReader

  func earlierTap(of file: ScenarioFile, _ number: Int) -> (tap: TerminalTap, path: String)? { nil }

  func record(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String {
    let marked = disclosure.marked(transcript)
    let isShown = try marked != transcript && reader.shows(disclosure, of: file)
    return try directory.write(isShown ? transcript : marked, of: file, index, number)
  }
}

/// Keeps the recordings of a terminal, and goes on where an earlier run with the same directory ended.
struct TerminalTapRecorder: TapRecorder {
  let directory: RecordingDirectory
  let disclosure: Disclosure
  let settings: RunSettings
  let earlier: TestRecordings?

  func earlierTap(of file: ScenarioFile, _ number: Int) -> (tap: TerminalTap, path: String)? {
    earlier?.known(file, number)
  }

  func record(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String {
    var kept = transcript
    settings.note(in: &kept, of: file, number)
    // The answer to a question is added to a recording that is there already.
    let writer = settings.link.isAttended ? try RecordingDirectory(continuing: directory.path) : directory
    let path = earlier?.recording(of: file, number)?.path
    return try writer.write(disclosure.shown(kept), of: file, index, number, over: path)
  }
}

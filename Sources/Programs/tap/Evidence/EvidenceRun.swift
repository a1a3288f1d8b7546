import EMVTerminal
import Links
import Octets
import PaymentAcceptance
import ProgramSupport
import ReaderKinds
import Transcripts
import USBSimulator

/// The steps at a reader, one after the other. A step that fails does not end the run. Blocks.
struct EvidenceRun {
  /// How a step ended.
  enum Ending {
    case passed(String)
    case failed(String)
    case skipped(String)
  }

  /// How long the user has for a step.
  static let patience = Duration.seconds(120)
  /// How long a card that is on the reader may need to be found again.
  static let readiness = Duration.seconds(10)

  /// The reader. It has another name after it was plugged in again, when that has the number of the device.
  var reader: EvidenceReader
  let survey: SetupSurvey
  let skips: SkippedSteps
  let progress: EvidenceProgress
  /// The terminal and the request of the payment.
  let terminal: PaymentAcceptance
  let request: PaymentRequest
  /// What was found so far.
  var evidence: ReaderEvidence
  /// The reader as its descriptors describe it; nil without them.
  var device: ReaderDocument?
  var redaction: EvidenceRedaction
  /// The answer to reset of the first visit.
  var answerToReset: [UInt8]?
  /// The response to `EvidenceRun.selection` of an earlier step.
  var selected: [UInt8]?

  init(
    _ reader: EvidenceReader, _ evidence: ReaderEvidence, _ survey: SetupSurvey, _ skips: SkippedSteps,
    _ progress: EvidenceProgress, terminal: PaymentAcceptance, request: PaymentRequest
  ) {
    (self.reader, self.evidence, self.survey) = (reader, evidence, survey)
    (self.skips, self.progress) = (skips, progress)
    (self.terminal, self.request) = (terminal, request)
    redaction = EvidenceRedaction(readerNames: reader.slots + [reader.name])
  }

  /// Does all steps.
  ///
  /// - Returns: The document for the file.
  consuming func document() -> ReaderDocument {
    for step in EvidenceStep.allCases { perform(step) }
    evidence.recording = evidence.recording.map(redaction.redacted)
    evidence.firmware = evidence.firmware.map(redaction.redacted)
    var document = device ?? .withoutDevice
    document.evidence = evidence
    return document
  }

  private mutating func perform(_ step: EvidenceStep) {
    skips.begin()
    // The card must be open before the user takes it off the reader.
    if step != .cardOut { progress.begin(step) }
    var result: ReaderEvidence.StepResult
    do throws(LinkError) {
      switch try ending(of: step) {
      case .passed(let detail): result = .init(step, .passed, detail)
      case .failed(let detail): result = .init(step, .failed, detail)
      case .skipped(let reason): result = .init(step, .skipped, reason)
      }
    } catch { result = .init(step, .failed, error.reason, error: error.code.rawValue) }
    result.detail = redaction.redacted(result.detail)
    evidence.results.append(result)
    progress.end(result)
  }

  private mutating func ending(of step: EvidenceStep) throws(LinkError) -> Ending {
    switch step {
    case .descriptors: return try descriptors()
    case .empty: return try empty()
    case .cardIn: return try cardIn()
    case .cardOut: return try whenPassed(.cardIn) { (run) throws(LinkError) in try run.cardOut() }
    case .cardBack: return try whenPassed(.cardOut) { (run) throws(LinkError) in try run.cardBack() }
    case .unplug: return try unplug()
    case .plug: return try whenPassed(.unplug) { (run) throws(LinkError) in try run.plug() }
    case .exchange: return try whenPassed(.cardIn) { (run) throws(LinkError) in try run.exchange() }
    case .identity: return try whenPassed(.cardIn) { (run) throws(LinkError) in try run.identity() }
    case .reset: return try whenPassed(.cardIn) { (run) throws(LinkError) in try run.reset() }
    case .longCommand: return try whenPassed(.cardIn) { (run) throws(LinkError) in try run.longCommand() }
    case .payment: return try whenPassed(.cardIn) { (run) throws(LinkError) in run.payment() }
    }
  }

  /// Does a step unless the one that it needs was skipped, or has failed.
  private mutating func whenPassed(
    _ needed: EvidenceStep, _ work: (inout Self) throws(LinkError) -> Ending
  ) throws(LinkError) -> Ending {
    guard evidence.results.contains(where: { $0.step == needed && $0.verdict != .skipped }) else {
      return .skipped("the step \(needed.rawValue) was skipped")
    }
    return try work(&self)
  }
}

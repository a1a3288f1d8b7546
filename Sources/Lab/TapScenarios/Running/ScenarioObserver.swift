public import EMVData
public import ISO7816
public import PaymentAcceptance
public import Transcripts

/// The program around a run of scenarios: it shows values and prompts, keeps recordings, and receives each tap. Every function
/// has a default, which keeps and shows nothing.
public protocol ScenarioObserver: Sendable {
  /// Returns the text of a value for reports, masked as far as it must be.
  ///
  /// - Parameter number: The card's account number, when it was seen.
  func text(of node: TLVNode, _ number: PrimaryAccountNumber?) -> String

  /// Returns the exchanges of a tap that did not pass: those that its differences name, else all.
  ///
  /// - Parameter transcript: The exchanges, unredacted.
  func explanation(of transcript: Transcript, _ verdict: ScenarioRun.Verdict) -> [ExplainedExchange]

  /// Shows a prompt to the person at the reader.
  func prompt(_ text: String)

  /// Returns the tap of a terminal that an earlier run has recorded, and its file; nil for a tap that is to be made.
  func earlierTap(of file: ScenarioFile, _ number: Int) throws -> (tap: TerminalTap, path: String)?

  /// Writes the recording of a tap, which is unredacted.
  ///
  /// - Parameter index: The place of the scenario in the run.
  /// - Returns: The file; nil without one.
  func record(_ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int) throws -> String?

  /// Receives each tap with its series when it was made.
  ///
  /// - Parameters:
  ///   - index: The place of the scenario in the run.
  ///   - payment: The payment; nil for a tap without one, and for a payment that could not begin.
  func observe(_ run: ScenarioRun, _ series: ScenarioSeries, _ index: Int, _ payment: PaymentResult?)
}

extension ScenarioObserver {
  /// The text of the dictionary, which masks cardholder data.
  public func text(of node: TLVNode, _ number: PrimaryAccountNumber?) -> String {
    DataElement.text(of: node.tag, node.value)
  }

  /// No exchanges.
  public func explanation(of transcript: Transcript, _ verdict: ScenarioRun.Verdict) -> [ExplainedExchange] { [] }

  /// Ignores the prompt.
  public func prompt(_ text: String) {}

  /// Nil.
  public func earlierTap(of file: ScenarioFile, _ number: Int) throws -> (tap: TerminalTap, path: String)? { nil }

  /// Writes nothing.
  public func record(
    _ transcript: Transcript, of file: ScenarioFile, _ index: Int, _ number: Int
  ) throws -> String? { nil }

  /// Ignores the tap.
  public func observe(_ run: ScenarioRun, _ series: ScenarioSeries, _ index: Int, _ payment: PaymentResult?) {}
}

/// The observer of a run whose results alone are used.
public struct NoScenarioObserver: ScenarioObserver {
  /// Creates the observer.
  public init() {}
}

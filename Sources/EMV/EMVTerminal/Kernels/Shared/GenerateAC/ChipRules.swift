internal import EMVData
internal import ISO7816

/// How a chip makes the data of a payment.
enum ChipMode {
  /// With the data elements of a chip, which the terminal may check itself.
  case emv
  /// For a host that takes the data of a magnetic stripe. The host always decides.
  case magStripe
}

/// What a kernel decides in the payment that `ChipMachine` runs.
protocol ChipRules: Sendable {
  /// The limits of the profile.
  var limits: ReaderLimits { get }
  /// The risk management of the profile; nil for none.
  var riskManagement: RiskManagement? { get }
  /// The action codes of the profile.
  var actionCodes: TerminalActionCodes { get }
  /// The lengths of the terminal's data elements that only this kernel has. A card that asks for another length has wrong data.
  var lengths: [Tag: Int] { get }
  /// Tags of the request to the host that only this kernel has.
  var furtherElements: [Tag] { get }
  /// Tags of the card's data that the outcome of an offline approval shows.
  var shownElements: [Tag] { get }
  /// Whether the terminal's exception list counts.
  var heedsExceptionList: Bool { get }
  /// Whether the reader never has a host.
  var isOfflineOnly: Bool { get }

  /// Sets data elements of the terminal before GET PROCESSING OPTIONS.
  func begin(_ terminal: inout KernelTerminal)

  /// The step after another status word of GET PROCESSING OPTIONS than 9000.
  func refused(_ status: StatusWord, _ terminal: inout KernelTerminal) -> KernelStep

  /// The mode of a card, from its response to GET PROCESSING OPTIONS.
  func mode(_ profile: ApplicationInterchangeProfile, _ card: CardData) throws(StepFailure) -> ChipMode

  /// Whether a terminal that has CDA uses it for cards of this kernel.
  var authenticates: Bool { get }

  /// How the cardholder is verified.
  func verification(
    _ facts: ChipCardData, _ card: CardData, _ mode: ChipMode, _ terminal: KernelTerminal
  ) throws(StepFailure) -> ChipVerification

  /// Sets data elements of the terminal before GENERATE AC of mag-stripe mode.
  func prepareMagStripe(_ terminal: inout KernelTerminal)

  /// Whether no offline approval is asked for, whatever the action codes say.
  func needsHost(_ terminal: KernelTerminal) -> Bool

  /// The outcome of a payment that the card declined, or that was declined before.
  func declined(
    _ request: AuthorizationRequest, _ failure: StepFailure, _ card: CardData, _ terminal: KernelTerminal
  ) -> PaymentOutcome
}

extension ChipRules {
  /// The exception list counts.
  var heedsExceptionList: Bool { true }

  /// A terminal that has CDA uses it.
  var authenticates: Bool { true }

  /// Sets no data elements.
  func prepareMagStripe(_ terminal: inout KernelTerminal) {}

  /// After 6985 the next application is tried; another status word ends the payment (EMV 4.4 Book 3, 10.1).
  func refused(_ status: StatusWord, _ terminal: inout KernelTerminal) -> KernelStep {
    let failure = StepFailure(.processingOptions, .status(status))
    return status == .conditionsNotSatisfied ? .selectNext(failure) : .outcome(.endApplication(failure))
  }

  /// The payment is declined.
  func declined(
    _ request: AuthorizationRequest, _ failure: StepFailure, _ card: CardData, _ terminal: KernelTerminal
  ) -> PaymentOutcome { .declined(request, failure) }
}

/// How the cardholder is verified, or why the payment is declined.
struct ChipVerification {
  /// The method, with what it writes into the terminal's data.
  let choice: CVMListProcessing.Choice
  /// Why the card is asked to decline; nil for a payment that goes on.
  var denial: StepFailure.Code?
}

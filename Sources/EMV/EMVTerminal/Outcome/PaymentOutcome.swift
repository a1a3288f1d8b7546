public import EMVData

/// What cardholder and till are told (EMV Contactless Book A, outcomes).
public struct PaymentOutcome: Hashable, Sendable {
  /// How a payment ends.
  public enum Kind: String, CaseIterable, Sendable {
    /// Approved by the host.
    case approved
    /// Declined by the card, the terminal or the host.
    case declined
    /// The host must decide, or there is none that knows the card.
    case onlineRequest = "online request"
    /// The phone wants its user first; then the same payment is tried again.
    case seePhone = "see phone"
    /// The card left too early; the same payment is tried again.
    case tryAgain = "try again"
    /// Not contactless: insert the card.
    case otherInterface = "other interface"
    /// Not with this card.
    case endApplication = "end application"
  }

  /// Where a payment goes on when the card is presented again.
  public enum Restart: String, Sendable {
    /// Start B: at the directory, with the same amount.
    case directory = "B"
  }

  /// How it ended.
  public let kind: Kind
  /// What the display says.
  public let message: CardholderMessage
  /// How long the message stays at least, in milliseconds.
  public let holdMilliseconds: Int
  /// Where to go on with the card presented again; nil when the payment is over.
  public let restart: Restart?
  /// How the cardholder is verified.
  public let verification: VerificationMethod
  /// What the card gave; nil when it gave no cryptogram.
  public let cryptogram: CryptogramType?
  /// The data record: what a host gets, or would get. Nil when the card did not give all of it.
  public let authorizationRequest: AuthorizationRequest?
  /// The step that failed and so led here; nil when none did.
  public let failure: StepFailure?

  init(
    _ kind: Kind, _ message: CardholderMessage, holdMilliseconds: Int = 0, restart: Restart? = nil,
    decision: KernelDecision? = nil, failure: StepFailure? = nil
  ) {
    self.kind = kind
    self.message = message
    self.holdMilliseconds = holdMilliseconds
    self.restart = restart
    verification = decision?.verification ?? .notApplicable
    cryptogram = decision?.authorizationRequest.cryptogramType
    authorizationRequest = decision?.authorizationRequest
    self.failure = failure
  }

  /// 13 tenths of a second (Book C-3 v2.11, 5.2.2.2).
  public static let seePhoneHoldMilliseconds = 1300

  static func seePhone(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(
      .seePhone, .seePhone, holdMilliseconds: seePhoneHoldMilliseconds, restart: .directory, failure: failure)
  }

  static func tryAgain(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.tryAgain, .presentAgain, restart: .directory, failure: failure)
  }

  static func otherInterface(_ message: CardholderMessage, _ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.otherInterface, message, failure: failure)
  }

  static func endApplication(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.endApplication, .tryAnotherCard, failure: failure)
  }

  static func declined(_ decision: KernelDecision?, _ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.declined, .notAuthorised, decision: decision, failure: failure)
  }

  static func onlineRequest(_ decision: KernelDecision) -> PaymentOutcome {
    let message: CardholderMessage = decision.verification == .onlinePIN ? .enterPIN : .authorising
    return PaymentOutcome(.onlineRequest, message, decision: decision)
  }

  static func approved(_ decision: KernelDecision) -> PaymentOutcome {
    PaymentOutcome(.approved, decision.verification == .signature ? .approvedSign : .approved, decision: decision)
  }
}

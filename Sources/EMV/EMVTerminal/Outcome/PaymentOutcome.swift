public import EMVCryptography
public import EMVData
public import ISO7816

/// The end of a tap as cardholder and till see it: the outcome parameter set of EMV Contactless Book A. It holds the
/// data that all kernels have; data of one kernel only are in `discretionaryData`, by tag.
public struct PaymentOutcome: Hashable, Sendable {
  /// How a payment ends.
  public enum Kind: String, CaseIterable, Sendable {
    /// Approved by the host.
    case approved
    /// Declined by the card, the terminal or the host.
    case declined
    /// The host must decide, or no host knows the card.
    case onlineRequest = "online request"
    /// The cardholder must do something on the phone; then the same payment is tried again.
    case seePhone = "see phone"
    /// The card left too early; the same payment is tried again.
    case tryAgain = "try again"
    /// Not contactless: insert the card.
    case otherInterface = "other interface"
    /// Not with this card.
    case endApplication = "end application"
  }

  /// Where a payment goes on when the card is presented again: start B.
  public enum Restart: Sendable {
    /// At the directory, with the same amount.
    case directory
    /// At the same application, with the host's response (Book B v2.11, 3.3.2.1).
    case issuerUpdate

    /// The start in the outcome (Book A, table 6-1). Start D is the activation of the kernel, which Entry Point reaches
    /// from start B.
    public static let start = "B"
  }

  /// Whether the kernel needs the card for the host's response (Book A, online response data).
  public enum OnlineResponse: String, Sendable {
    /// The kernel does not need the card.
    case none
    /// The card stays in the field until the host has answered.
    case presentAndHold = "present and hold"
    /// The cardholder presents the card a second time when the host has answered: start B.
    case twoPresentments = "two presentments"
  }

  /// The interface that the card is to be tried with next (Book A, alternate interface preference).
  public enum AlternateInterface: String, CaseIterable, Sendable {
    /// The chip, with contacts.
    case contactChip = "contact chip"
    /// The magnetic stripe.
    case magStripe = "mag-stripe"
  }

  /// The result of offline data authentication.
  public enum DataAuthentication: Hashable, Sendable {
    /// The terminal has checked the card.
    case passed
    /// A check failed, or data were missing.
    case failed(AuthenticationFailure)
  }

  /// How it ended.
  public let kind: Kind
  /// The message on the display.
  public let message: CardholderMessage
  /// The state of the reader with the message; nil where no public document gives it.
  public var status: UserInterfaceRequest.Status?
  /// How long the message stays at least, in milliseconds, 0 or more.
  public internal(set) var holdMilliseconds: Int
  /// The language of the messages: the cardholder's, tag 5F2D, where the terminal has it, else the terminal's own.
  public internal(set) var language = CardholderLanguage.english
  /// What the display shows when the card is to be presented again; nil for "present card".
  public var restartRequest: UserInterfaceRequest?
  /// Where to go on with the card presented again; nil when the payment is over.
  public let restart: Restart?
  /// How the cardholder is verified.
  public let verification: CardholderVerificationMethod
  /// The data for the host. Nil when the card did not give all of them.
  public let authorizationRequest: AuthorizationRequest?
  /// The step that failed and led to this outcome, or nil.
  public let failure: StepFailure?
  /// Whether the kernel needs the card for the host's response. Of effect in an online request only.
  public var onlineResponse = OnlineResponse.none
  /// The interface to try next; nil where the kernel prefers none.
  public var alternateInterface: AlternateInterface?
  /// Whether the payment needs a receipt: one that the cardholder signs does.
  public var isReceiptWanted: Bool
  /// How long the field stays off before the card is presented again, in milliseconds; nil without a request.
  public var fieldOffMilliseconds: Int?
  /// How long a card that is held for the host's response stays powered, in milliseconds; nil without a limit.
  public var removalTimeoutMilliseconds: Int?
  /// The result of offline data authentication; nil when it was not performed.
  public var dataAuthentication: DataAuthentication?
  /// Further data of the kernel, by tag (Book A, discretionary data).
  public var discretionaryData: [TLVNode] = []
  /// The applications of the card that were left out before this outcome, in the order in which they were tried.
  public internal(set) var rejectedApplications: [RejectedApplication] = []

  /// What the display shows with this outcome (Book A, user interface request on outcome).
  public var request: UserInterfaceRequest {
    UserInterfaceRequest(message, status, holdMilliseconds: holdMilliseconds, language: language)
  }

  /// Whether there are data for the host or for clearing (Book A, data record).
  public var hasDataRecord: Bool { authorizationRequest != nil }

  /// The type of the cryptogram that the card gave; nil when it gave none.
  public var cryptogram: CryptogramType? { authorizationRequest?.cryptogramType }

  /// Creates an outcome. The verification is that of the request, or not applicable without one.
  public init(
    _ kind: Kind, _ message: CardholderMessage, holdMilliseconds: Int = 0, restart: Restart? = nil,
    authorizationRequest: AuthorizationRequest? = nil, failure: StepFailure? = nil
  ) {
    self.kind = kind
    self.message = message
    status = Self.status(with: message)
    self.holdMilliseconds = holdMilliseconds
    self.restart = restart
    verification = authorizationRequest?.verification ?? .notApplicable
    self.authorizationRequest = authorizationRequest
    self.failure = failure
    isReceiptWanted = verification == .signature && (kind == .approved || kind == .onlineRequest)
  }
}

// The outcomes with the messages that Book A gives them.
extension PaymentOutcome {
  // The status that belongs to a message (Book A, user interface request): the card was read for 03, 07 and 1B, and was not
  // for 18. Other messages come with several.
  private static func status(with message: CardholderMessage) -> UserInterfaceRequest.Status? {
    switch message {
    case .approved, .notAuthorised, .authorising: .cardRead
    case .insertOrSwipe: .processingError
    default: nil
    }
  }

  /// 13 tenths of a second (Book C-3 v2.11, 5.2.2.2).
  public static let seePhoneHoldMilliseconds = 1300

  /// The cardholder must look at the phone; start B.
  public static func seePhone(_ failure: StepFailure) -> PaymentOutcome {
    var outcome = PaymentOutcome(
      .seePhone, .seePhone, holdMilliseconds: seePhoneHoldMilliseconds, restart: .directory, failure: failure)
    outcome.status = .notReady
    return outcome
  }

  /// The cardholder must present the card again; start B.
  public static func tryAgain(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.tryAgain, .presentAgain, restart: .directory, failure: failure)
  }

  /// The payment needs another interface than the contactless one.
  public static func otherInterface(_ message: CardholderMessage, _ failure: StepFailure) -> PaymentOutcome {
    var outcome = PaymentOutcome(.otherInterface, message, failure: failure)
    if message == .insert { outcome.alternateInterface = .contactChip }
    return outcome
  }

  /// The payment is not possible with this card.
  public static func endApplication(_ failure: StepFailure) -> PaymentOutcome {
    var outcome = PaymentOutcome(.endApplication, .tryAnotherCard, failure: failure)
    outcome.status = .readyToRead
    return outcome
  }

  /// The payment is declined.
  ///
  /// - Parameter request: The data of the card, or nil when it did not give all of them.
  public static func declined(_ request: AuthorizationRequest?, _ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.declined, .notAuthorised, authorizationRequest: request, failure: failure)
  }

  /// The host must decide. With an online PIN the display asks for it.
  public static func onlineRequest(_ request: AuthorizationRequest) -> PaymentOutcome {
    let message: CardholderMessage = request.verification == .onlinePIN ? .enterPIN : .authorising
    return PaymentOutcome(.onlineRequest, message, authorizationRequest: request)
  }

  /// The payment is approved. With a signature the display asks for it.
  public static func approved(_ request: AuthorizationRequest) -> PaymentOutcome {
    let message: CardholderMessage = request.verification == .signature ? .approvedSign : .approved
    return PaymentOutcome(.approved, message, authorizationRequest: request)
  }
}

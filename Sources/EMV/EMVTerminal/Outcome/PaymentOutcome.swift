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

  /// Where a payment goes on when the card is presented again.
  public enum Restart: String, Sendable {
    /// Start B: at the directory, with the same amount.
    case directory = "B"
    /// Start D: at the same application, with the host's response.
    case issuerUpdate = "D"
  }

  /// Whether the kernel needs the card for the host's response (Book A, online response data).
  public enum OnlineResponse: Sendable {
    /// The kernel does not need the card.
    case none
    /// The card stays in the field until the host has answered.
    case presentAndHold
    /// The cardholder presents the card a second time when the host has answered: start D.
    case twoPresentments
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
  /// How long the message stays at least, in milliseconds, 0 or more.
  public let holdMilliseconds: Int
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
  /// The result of offline data authentication; nil when it was not performed.
  public var dataAuthentication: DataAuthentication?
  /// Further data of the kernel, by tag (Book A, discretionary data).
  public var discretionaryData: [TLVNode] = []
  /// The applications of the card that were left out before this outcome, in the order in which they were tried.
  public internal(set) var rejectedApplications: [RejectedApplication] = []

  /// The type of the cryptogram that the card gave; nil when it gave none.
  public var cryptogram: CryptogramType? { authorizationRequest?.cryptogramType }

  /// Creates an outcome. The verification is that of the request, or not applicable without one.
  public init(
    _ kind: Kind, _ message: CardholderMessage, holdMilliseconds: Int = 0, restart: Restart? = nil,
    authorizationRequest: AuthorizationRequest? = nil, failure: StepFailure? = nil
  ) {
    self.kind = kind
    self.message = message
    self.holdMilliseconds = holdMilliseconds
    self.restart = restart
    verification = authorizationRequest?.verification ?? .notApplicable
    self.authorizationRequest = authorizationRequest
    self.failure = failure
  }
}

// The outcomes with the messages that Book A gives them.
extension PaymentOutcome {
  /// 13 tenths of a second (Book C-3 v2.11, 5.2.2.2).
  public static let seePhoneHoldMilliseconds = 1300

  /// The cardholder must look at the phone; start B.
  public static func seePhone(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(
      .seePhone, .seePhone, holdMilliseconds: seePhoneHoldMilliseconds, restart: .directory, failure: failure)
  }

  /// The cardholder must present the card again; start B.
  public static func tryAgain(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.tryAgain, .presentAgain, restart: .directory, failure: failure)
  }

  /// The payment needs another interface than the contactless one.
  public static func otherInterface(_ message: CardholderMessage, _ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.otherInterface, message, failure: failure)
  }

  /// The payment is not possible with this card.
  public static func endApplication(_ failure: StepFailure) -> PaymentOutcome {
    PaymentOutcome(.endApplication, .tryAnotherCard, failure: failure)
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

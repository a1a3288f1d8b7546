internal import Links

extension ContactlessPaymentSession.Error: CustomStringConvertible {
  /// The kinds of error, by the names that programs read.
  public enum Code: String, Sendable, CaseIterable {
    /// The kinds.
    case apduFailure, authenticationExpired, authenticationFailed, authenticationKeyInvalidated, biometricNotEnrolled
    case cancelled, cardNotActive, cardNotSupported, deviceEnvironmentUnsafe, invalidDigitalCardID
    case invalidWalletTransactionData, keychainError, maxSessionDurationReached, nfcPermissionNotAccepted
    case noDefaultCard, noPaymentKeys, posNotSupported, schemeNotSupported, sessionInvalidated, setDefaultCardFailure
    case systemEligibilityFailed, transmissionError, unknown
  }

  /// The kind.
  public var code: Code {
    switch self {
    case .apduFailure: .apduFailure
    case .authenticationExpired: .authenticationExpired
    case .authenticationFailed: .authenticationFailed
    case .authenticationKeyInvalidated: .authenticationKeyInvalidated
    case .biometricNotEnrolled: .biometricNotEnrolled
    case .cancelled: .cancelled
    case .cardNotActive: .cardNotActive
    case .cardNotSupported: .cardNotSupported
    case .deviceEnvironmentUnsafe: .deviceEnvironmentUnsafe
    case .invalidDigitalCardID: .invalidDigitalCardID
    case .invalidWalletTransactionData: .invalidWalletTransactionData
    case .keychainError: .keychainError
    case .maxSessionDurationReached: .maxSessionDurationReached
    case .nfcPermissionNotAccepted: .nfcPermissionNotAccepted
    case .noDefaultCard: .noDefaultCard
    case .noPaymentKeys: .noPaymentKeys
    case .posNotSupported: .posNotSupported
    case .schemeNotSupported: .schemeNotSupported
    case .sessionInvalidated: .sessionInvalidated
    case .setDefaultCardFailure: .setDefaultCardFailure
    case .systemEligibilityFailed: .systemEligibilityFailed
    case .transmissionError: .transmissionError
    case .unknown: .unknown
    }
  }

  /// The name of the case, as programs read it.
  public var name: String { code.rawValue }

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .apduFailure(let reason): "\(reason): pay again"
    case .authenticationExpired: "the verification is too old: verify again"
    case .authenticationFailed: "the cardholder was not verified: try again"
    case .authenticationKeyInvalidated(let reason): "\(reason): all cards are gone, set the wallet up again"
    case .biometricNotEnrolled(let detail): "no biometrics are enrolled: \(detail)"
    case .cancelled: "the payment was cancelled: start another when it is wanted"
    case .cardNotActive(let state): "the card is \(state.rawValue): resume or activate it first"
    case .cardNotSupported(let reason): "the card cannot pay, \(reason): have its issuer provision it again"
    case .deviceEnvironmentUnsafe(let reason): "the device is not safe for payments: \(reason)"
    case .invalidDigitalCardID(let id): "the wallet has no card \"\(id)\": choose one that it has"
    case .invalidWalletTransactionData(let count):
      "wallet transaction data of \(count) octets: give \(WalletTransactionData.maximumCount) at most"
    case .keychainError(let error): "\(error)"
    case .maxSessionDurationReached: "no terminal completed the payment in time: start again"
    case .nfcPermissionNotAccepted(let reason): "this wallet may not emulate a card: \(reason)"
    case .noDefaultCard: "no card is the default: choose or add one"
    case .noPaymentKeys: "the card's payment keys are used up or expired: replenish it"
    case .posNotSupported: "the terminal does not take this card: choose another card or another way to pay"
    case .schemeNotSupported: "only cards with a Mastercard application take wallet transaction data: leave them out"
    case .sessionInvalidated(let reason): "\(reason): start again"
    case .setDefaultCardFailure(let reason): "the card could not be made the default, nothing was paid: \(reason)"
    case .systemEligibilityFailed(let reason): "this system does not let a wallet emulate a card: \(reason)"
    case .transmissionError(let error): error.reason
    case .unknown(let reason): reason
    }
  }
}

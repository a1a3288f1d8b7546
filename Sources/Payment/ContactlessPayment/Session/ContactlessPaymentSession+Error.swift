public import DeviceAuthentication
public import Links

extension ContactlessPaymentSession {
  /// Why a session failed.
  public enum Error: Swift.Error, Equatable, Sendable {
    /// The card or the terminal declined the payment, or the terminal broke the link's protocol.
    case apduFailure(String)
    /// The terminal asked for the payment after the verification had expired, or the card was not presented by then.
    case authenticationExpired
    /// The cardholder was not recognised.
    case authenticationFailed
    /// The device lock was removed since the wallet was set up. All local data were removed; configure it again.
    /// `wipeFailure` is nil unless they could not be removed, or not completely: they never pay, but they are still
    /// there.
    case authenticationKeyInvalidated(KeyInvalidation, wipeFailure: WalletError? = nil)
    /// The policy needs biometrics and none are enrolled. Cards and keys are unchanged.
    case biometricNotEnrolled(String)
    /// The app or the cardholder cancelled.
    case cancelled
    /// The card is suspended, retired or not activated.
    case cardNotActive(DigitalCard.State)
    /// The wallet's data of the card do not suffice for a payment.
    case cardNotSupported(String)
    /// The device or this process has been tampered with, or is being monitored.
    case deviceEnvironmentUnsafe(String)
    /// A cryptogram was handed out, the payment was interrupted, and a second cryptogram is not allowed.
    case furtherUseRefused(FurtherUseRefusal)
    /// The wallet has no card with this name.
    case invalidDigitalCardID(String)
    /// Wallet transaction data of more than 14 bytes.
    case invalidWalletTransactionData(count: Int)
    /// The device's key store does not work.
    case keychainError(DeviceAuthenticationError)
    /// Too many attempts failed: the device accepts no more by this method until it unlocks the method.
    case lockedOut(VerificationMethod)
    /// The emulation limit passed without a completed payment.
    case maxSessionDurationReached
    /// The owner has not allowed this wallet to emulate a card.
    case nfcPermissionNotAccepted(String)
    /// No card was named and none is the default.
    case noDefaultCard
    /// The card's keys are used up or expired: replenish it.
    case noPaymentKeys
    /// The terminal selected only applications that the card does not have.
    case posNotSupported
    /// Wallet transaction data for a card without a Mastercard application.
    case schemeNotSupported
    /// The session cannot go on: the wallet was reset, the card was removed or replaced, another payment is in
    /// progress, the system took the link, or the app released the session.
    case sessionInvalidated(String)
    /// The chosen card could not be made the default.
    case setDefaultCardFailure(String)
    /// The store is older than the counter of the device's key shows: it was restored from a copy while the wallet was
    /// open. Nothing was armed and nothing removed. The counts are those of the store and of the device.
    case storeRolledBack(count: UInt64, deviceCount: UInt64)
    /// The system does not allow any wallet to emulate a card.
    case systemEligibilityFailed(String)
    /// The link to the terminal failed.
    case transmissionError(LinkError)
    /// The store or the device of an armed card could not be read for 1 s. Nothing was removed.
    case unavailable(String)
    /// The store failed, or another error occurred that has no case here.
    case unknown(String)
  }
}

/// Why no further use of the card was armed after a cryptogram had been handed out.
public enum FurtherUseRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The terminal asked for another cryptogram after a reset or a deselection, without a loss of the field.
  case fieldNotLost
  /// The terminal asked for another amount, currency or transaction type than in the first cryptogram.
  case otherTerms
  /// The terminal asked for a payment with another application of the card than in the first cryptogram.
  case otherApplication
  /// The card has approved the payment without its issuer (TC), so that there is nothing to repeat.
  case approved
  /// The card has declined the payment (AAC).
  case declined
  /// All further uses that the session allows were taken.
  case noneLeft(limit: Int)

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .fieldNotLost:
      "the terminal reset the card and asked for a second cryptogram: check the terminal, then pay again"
    case .otherTerms:
      "the terminal changed the amount, the currency or the type after it had a cryptogram: check it, then pay again"
    case .otherApplication:
      "the terminal asked another application of the card after it had a cryptogram: check the terminal, then pay again"
    case .approved:
      """
      the card had approved the payment without its issuer when the terminal left, and a verification approves one payment: ask \
      at the till whether it was taken before you pay again
      """
    case .declined: "the card had declined the payment when the terminal left: pay again"
    case .noneLeft(let limit):
      "the payment was interrupted after a cryptogram, and the limit of \(limit) further uses is reached: pay again"
    }
  }
}

extension ContactlessPaymentSession.Error: CustomStringConvertible {
  /// The kinds of error, with the names that programs read.
  public enum Code: String, Sendable, CaseIterable {
    /// A kind.
    case apduFailure, authenticationExpired, authenticationFailed, authenticationKeyInvalidated, biometricNotEnrolled
    case cancelled, cardNotActive, cardNotSupported, deviceEnvironmentUnsafe, furtherUseRefused
    case invalidDigitalCardID, invalidWalletTransactionData, keychainError, lockedOut, maxSessionDurationReached
    case nfcPermissionNotAccepted, noDefaultCard, noPaymentKeys, posNotSupported, schemeNotSupported
    case sessionInvalidated, setDefaultCardFailure, storeRolledBack, systemEligibilityFailed, transmissionError
    case unavailable, unknown
  }

  /// The kind.
  public var code: Code { words.code }

  /// The name of the case, as programs read it.
  public var name: String { code.rawValue }

  /// A sentence that says what to do.
  public var description: String { words.sentence }

  private var words: (code: Code, sentence: String) {
    switch self {
    case .apduFailure(let reason): (.apduFailure, "\(reason): pay again")
    case .authenticationExpired: (.authenticationExpired, "the verification is too old: verify again")
    case .authenticationFailed: (.authenticationFailed, "the cardholder was not verified: try again")
    case .authenticationKeyInvalidated(let reason, .none):
      (.authenticationKeyInvalidated, "\(reason): all cards were removed, set the wallet up again")
    case .authenticationKeyInvalidated(let reason, .some(let failure)):
      (
        .authenticationKeyInvalidated,
        "\(reason): the wallet's data could not all be removed (\(failure)): reset the wallet, then set it up again"
      )
    case .biometricNotEnrolled(let detail): (.biometricNotEnrolled, "no biometrics are enrolled: \(detail)")
    case .cancelled: (.cancelled, "the payment was cancelled: start a new one to pay")
    case .cardNotActive(let state): (.cardNotActive, "the card is \(state.rawValue): resume or activate it first")
    case .cardNotSupported(let reason):
      (.cardNotSupported, "the card cannot pay, \(reason): ask its issuer to provision it again")
    case .deviceEnvironmentUnsafe(let reason):
      (.deviceEnvironmentUnsafe, "the device is not safe for payments: \(reason)")
    case .furtherUseRefused(let refusal): (.furtherUseRefused, "\(refusal)")
    case .invalidDigitalCardID(let id):
      (.invalidDigitalCardID, "the wallet has no card \"\(id)\": choose one that it has")
    case .invalidWalletTransactionData(let count):
      (.invalidWalletTransactionData, "\(WalletError.invalidWalletTransactionData(count: count))")
    case .keychainError(let error): (.keychainError, "\(error)")
    case .lockedOut(let method): (.lockedOut, "\(DeviceAuthenticationError.lockedOut(method))")
    case .maxSessionDurationReached:
      (.maxSessionDurationReached, "no terminal completed the payment in time: start again")
    case .nfcPermissionNotAccepted(let reason):
      (.nfcPermissionNotAccepted, "this wallet may not emulate a card: \(reason)")
    case .noDefaultCard: (.noDefaultCard, "no card is the default: choose or add one")
    case .noPaymentKeys: (.noPaymentKeys, "the card's payment keys are used up or expired: replenish it")
    case .posNotSupported:
      (.posNotSupported, "the terminal does not take this card: choose another card or another way to pay")
    case .schemeNotSupported:
      (.schemeNotSupported, "only cards with a Mastercard application take wallet transaction data: leave them out")
    case .sessionInvalidated(let reason): (.sessionInvalidated, "\(reason): start again")
    case .setDefaultCardFailure(let reason):
      (.setDefaultCardFailure, "the card could not be made the default, nothing was paid: \(reason)")
    case .storeRolledBack(let count, let deviceCount):
      (.storeRolledBack, "\(WalletError.storeRolledBack(count: count, deviceCount: deviceCount))")
    case .systemEligibilityFailed(let reason):
      (.systemEligibilityFailed, "this system does not let a wallet emulate a card: \(reason)")
    case .transmissionError(let error): (.transmissionError, error.reason)
    case .unavailable(let reason): (.unavailable, "\(reason): nothing was removed, try again")
    case .unknown(let reason): (.unknown, reason)
    }
  }
}

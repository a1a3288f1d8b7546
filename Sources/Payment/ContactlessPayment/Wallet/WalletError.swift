public import DeviceAuthentication
public import EMVData

/// Why a call of a wallet failed.
public enum WalletError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `configure` was not called, or the wallet was wiped since.
  case notInitialized
  /// The wallet is configured already; another policy needs a reset.
  case alreadyConfigured(CardholderVerificationPolicy)
  /// Another `configure` or `reset` is in progress.
  case busy
  /// Another payment is in progress: a wallet makes one at a time.
  case sessionInProgress
  /// The card's state does not allow the action.
  case cardStateDoesNotAllowRequestedOperation(DigitalCard.State, CardAction)
  /// A directory (PPSE) with faults; the error lists all of them.
  case invalidPPSE(ProximityPaymentSystemEnvironmentError)
  /// Wallet transaction data of more than 14 bytes.
  case invalidWalletTransactionData(count: Int)
  /// The device lock was removed since the wallet was set up, or the device has deleted the wallet's key. All local data
  /// were removed; configure the wallet again. `wipeFailure` is nil unless the cards could not be removed: they never
  /// pay, and the next `configure` or `reset` tries to remove them again.
  case authenticationKeyInvalidated(KeyInvalidation, wipeFailure: WalletStoreError? = nil)
  /// The device's counter shows that the store was restored from an older copy, or that another copy of it has paid, or has
  /// lost a right. No card pays, and nothing is removed. The store remembers it until the wallet is reset. Use the newest copy.
  case storeRolledBack(count: UInt64, deviceCount: UInt64)
  /// The device does not meet the policy, or failed.
  case device(DeviceAuthenticationError)
  /// The store failed.
  case store(WalletStoreError)

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .notInitialized: "the wallet is not initialized: call configure first"
    case .alreadyConfigured(let policy): "the wallet is configured for \(policy.rawValue): reset it first"
    case .busy: "the wallet is being configured or reset: try again when that is done"
    case .sessionInProgress: "another payment of this wallet is in progress: end it first"
    case .cardStateDoesNotAllowRequestedOperation(let state, let action): state.refusal(of: action)
    case .invalidPPSE(let error): "\(error)"
    case .invalidWalletTransactionData(let count):
      "wallet transaction data of \(count) bytes: the limit is \(DigitalCard.maximumWalletDataCount)"
    case .authenticationKeyInvalidated(let reason, .none):
      "the authentication key is invalid: \(reason): all cards were removed, set the wallet up again"
    case .authenticationKeyInvalidated(let reason, .some(let failure)):
      "the authentication key is invalid: \(reason); the cards cannot pay, but they could not be removed: \(failure)"
    case .storeRolledBack(let count, let deviceCount):
      """
      the wallet was restored from an older copy, or another copy of it has paid or was changed (count: \(count) in the \
      wallet, \(deviceCount) on the device): use the newest copy, or reset the wallet
      """
    case .device(let error): "\(error)"
    case .store(let error): "\(error)"
    }
  }
}

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
    case .device(let error): "\(error)"
    case .store(let error): "\(error)"
    }
  }
}

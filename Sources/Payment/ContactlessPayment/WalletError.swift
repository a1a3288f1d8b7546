public import DeviceAuthentication
public import EMVData

/// Why a wallet refused.
public enum WalletError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `configure` was not called, or the wallet was wiped since.
  case notInitialized
  /// The wallet is set up already; its policy cannot change without a reset.
  case alreadyConfigured(CardholderVerificationPolicy)
  /// Another `configure` or `reset` is under way.
  case busy
  /// Another payment is under way: a wallet makes one at a time.
  case sessionInProgress
  /// The card's state does not allow what was asked.
  case cardStateDoesNotAllowRequestedOperation(DigitalCard.State, CardAction)
  /// A directory (PPSE) with faults, all of them named.
  case invalidPPSE(ProximityPaymentSystemEnvironmentError)
  /// Wallet transaction data of more than 14 octets.
  case invalidWalletTransactionData(count: Int)
  /// The device cannot do what the policy asks.
  case device(DeviceAuthenticationError)
  /// The store refused.
  case store(WalletStoreError)

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .notInitialized: "the wallet is not initialized: call configure first"
    case .alreadyConfigured(let policy): "the wallet is configured for \(policy.rawValue): reset it first"
    case .busy: "the wallet is being configured or reset: try again when that is done"
    case .sessionInProgress: "another payment of this wallet is under way: end it first"
    case .cardStateDoesNotAllowRequestedOperation(let state, let action): state.refusal(of: action)
    case .invalidPPSE(let error): "\(error)"
    case .invalidWalletTransactionData(let count):
      "wallet transaction data of \(count) octets: give \(WalletTransactionData.maximumCount) at most"
    case .device(let error): "\(error)"
    case .store(let error): "\(error)"
    }
  }
}

public import DeviceAuthentication

/// What a store remembers about the set-up of its wallet: the policy, and the key of the device to which it is bound.
///
/// It is written when the wallet is set up, before the first card, and removed by a wipe. It contains no secret.
public struct WalletBinding: Equatable, Sendable {
  /// How the cardholder is verified, for the life of the wallet.
  public let policy: CardholderVerificationPolicy
  /// The sealing key of the device, and the enrolment at its creation.
  public let key: ProtectedKeyRecord
  /// Rises by 1 with every reservation. The counter of the device's key follows it, so that a store that is restored
  /// from an older copy is detected.
  public var count: UInt64

  /// Creates a binding.
  ///
  /// - Parameter count: The value of the key's counter when the wallet is set up, 0 for a device without counters.
  public init(policy: CardholderVerificationPolicy, key: ProtectedKeyRecord, count: UInt64 = 0) {
    self.policy = policy
    self.key = key
    self.count = count
  }
}

public import DeviceAuthentication

/// What a store remembers about the set-up of its wallet: the policy, and the key of the device to which it is bound.
///
/// It is written when the wallet is set up, before the first card, and removed by a wipe. It contains no secret.
public struct WalletBinding: Equatable, Sendable {
  /// How the cardholder is verified, for the life of the wallet.
  public let policy: CardholderVerificationPolicy
  /// The sealing key of the device, and the enrolment at its creation.
  public let key: ProtectedKeyRecord
  /// Rises by 1 with every reservation, and with every command that takes a right away. The counter of the device's key
  /// follows it, so that a store that is restored from an older copy, and one of two copies that pay at the same time, are
  /// detected.
  public var count: UInt64
  /// How the count compares with the counter of the device's key.
  public var counting: Counting

  /// How the count of a store compares with the counter of the device's key.
  public enum Counting: Equatable, Sendable {
    /// The device counts each reservation before the next one: the store is ahead by 1 at most.
    case inStep
    /// As `inStep`, and a change that took a right away is in no count yet. The next alignment of the counts counts it.
    case uncounted
    /// An older version wrote the store, which can be ahead by 64. Ends when the device has caught up.
    case ofOlderVersion
    /// Another copy of the store has moved the device's counter. No card pays until the wallet is reset.
    case movedByAnotherCopy(deviceCount: UInt64)
  }

  /// Creates a binding.
  ///
  /// - Parameters:
  ///   - count: The value of the key's counter when the wallet is set up, 0 for a device without counters.
  ///   - counting: How the count compares with the counter.
  public init(
    policy: CardholderVerificationPolicy, key: ProtectedKeyRecord, count: UInt64 = 0, counting: Counting = .inStep
  ) {
    self.policy = policy
    self.key = key
    self.count = count
    self.counting = counting
  }
}

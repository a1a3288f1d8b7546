internal import Synchronization

/// Separates the commands that a card answers with its keys from the revocation of the keys, without a lock.
///
/// One thread begins and ends commands; any thread revokes. Each command either ends before the revocation, or its end
/// reports the revocation, or it does not begin.
final class RevocationFlag: Sendable {
  private static let isAnswering: UInt8 = 1
  private static let isRevoked: UInt8 = 2
  private static let holdsCryptogram: UInt8 = 4

  private let state = Atomic<UInt8>(0)

  /// Whether the keys were revoked.
  var isRevoked: Bool { state.load(ordering: .acquiring) & Self.isRevoked != 0 }

  /// Begins a command. Returns false after a revocation; the command then has no end.
  func begin() -> Bool {
    var former = state.load(ordering: .acquiring)
    while former & Self.isRevoked == 0 {
      let (exchanged, present) = state.weakCompareExchange(
        expected: former, desired: former | Self.isAnswering, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      former = present
    }
    return false
  }

  /// Ends a command.
  ///
  /// - Parameter holdsCryptogram: Whether the card has given a cryptogram since it was armed.
  /// - Returns: False when the keys were revoked since the command began.
  func end(holdingCryptogram holdsCryptogram: Bool) -> Bool {
    if holdsCryptogram { state.bitwiseOr(Self.holdsCryptogram, ordering: .relaxed) } else { settle() }
    let former = state.bitwiseAnd(~Self.isAnswering, ordering: .acquiringAndReleasing).oldValue
    return former & Self.isRevoked == 0
  }

  /// Forgets the cryptogram: its use is settled.
  func settle() { state.bitwiseAnd(~Self.holdsCryptogram, ordering: .relaxed) }

  /// Revokes the keys. Returns whether a command is being answered, or a cryptogram is not settled.
  func revoke() -> Bool {
    let former = state.bitwiseOr(Self.isRevoked, ordering: .acquiringAndReleasing).oldValue
    return former & (Self.isAnswering | Self.holdsCryptogram) != 0
  }
}

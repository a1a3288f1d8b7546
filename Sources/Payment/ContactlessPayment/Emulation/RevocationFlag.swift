internal import Synchronization

/// Separates the commands that a card answers with its keys from the revocation of the keys, without a lock.
///
/// One thread begins and ends commands; any thread revokes. Each command either ends before the revocation, or its end
/// reports the revocation, or it does not begin.
final class RevocationFlag: Sendable {
  private static let isAnswering: UInt8 = 1
  private static let isRevoked: UInt8 = 2

  private let state = Atomic<UInt8>(0)

  /// Whether the keys were revoked.
  var isRevoked: Bool { state.load(ordering: .acquiring) & Self.isRevoked != 0 }

  /// Begins a command. Returns false after a revocation; the command then has no end.
  func begin() -> Bool {
    state.compareExchange(expected: 0, desired: Self.isAnswering, ordering: .acquiringAndReleasing).exchanged
  }

  /// Ends a command. Returns false when the keys were revoked since it began.
  func end() -> Bool {
    let former = state.bitwiseAnd(~Self.isAnswering, ordering: .acquiringAndReleasing).oldValue
    return former & Self.isRevoked == 0
  }

  /// Revokes the keys. Returns whether a command is being answered.
  func revoke() -> Bool {
    let former = state.bitwiseOr(Self.isRevoked, ordering: .acquiringAndReleasing).oldValue
    return former & Self.isAnswering != 0
  }
}

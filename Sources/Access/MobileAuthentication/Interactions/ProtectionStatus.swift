/// What the failures so far mean for the next entry of a PIN or a password.
public enum ProtectionStatus: Equatable, Sendable {
  /// The last entry was right, or there was none.
  case unlocked
  /// The last entry was wrong.
  ///
  /// - Parameters:
  ///   - remainingRetries: How many more wrong entries lock the authenticator, 1...4.
  ///   - coolDown: For how long entries are ignored from now on; zero when the next entry counts.
  case lastAttemptFailed(remainingRetries: Int, coolDown: Duration)
  /// Locked for good by the fifth wrong entry.
  case lockedOut

  /// For how long entries are ignored from now on.
  public var coolDown: Duration {
    guard case .lastAttemptFailed(_, let coolDown) = self else { return .zero }
    return coolDown
  }
}

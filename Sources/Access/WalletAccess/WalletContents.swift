/// What the device keeps for a wallet besides its session, such as cards and payment keys.
public protocol WalletContents: Sendable {
  /// Removes everything. Called when the device is unlinked or its lock was removed; a call after a failure or without
  /// contents repeats nothing and succeeds.
  func wipe() async throws(WalletContentsError)
}

/// Why contents were not removed, as a sentence. The same call can be repeated.
public struct WalletContentsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What went wrong, where, and what to do.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}

public import EMVIssuer

/// The counters that a test issuer has granted, kept beyond the end of a process: without them, an issuer that starts anew
/// grants a card's counters, and with them its keys, once more.
public protocol CounterBook: Sendable {
  /// Grants counters, and keeps them before it returns. Of two processes one waits for the other.
  ///
  /// - Parameters:
  ///   - account: The application that gets the counters.
  ///   - body: Makes the grant. Receives the lowest counter that was never granted, 1 or more.
  func grant(to account: IssuerAccount, _ body: (_ free: Int) throws -> KeyGrant) throws -> KeyGrant
}

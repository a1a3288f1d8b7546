extension Wallet {
  /// Creates a payment session.
  ///
  /// - Throws: `WalletError.notInitialized`, or `.sessionInProgress` while another payment, a tap or any other, is in
  ///   progress. A session claims the wallet when it is started; of two sessions that were created before, the second
  ///   one to start fails.
  public func makePaymentSession(limits: SessionLimits = .standard) throws(WalletError) -> ContactlessPaymentSession {
    let verifier = try configured()
    guard !slot.isTaken else { throw .sessionInProgress }
    return ContactlessPaymentSession(
      wallet: self, store: store, verifier: verifier, environment: environment, clock: clock, random: random,
      limits: limits)
  }
}

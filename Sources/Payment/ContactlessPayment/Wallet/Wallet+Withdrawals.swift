public import DeviceAuthentication
internal import Links

/// What a command that takes a right away could not do beside the change itself, which is stored and stays.
public enum WithdrawalWarning: Error, Equatable, Sendable, CustomStringConvertible {
  /// The counter of the device's key does not show the change, for this reason. Until a wallet is opened on the store again,
  /// an older copy of the store is not noticed and has the right.
  case notCounted(WalletError)
  /// The device's key was not deleted, for this reason. Until a wallet is opened on the store again, an older copy of the
  /// store can pay.
  case keyNotDeleted(DeviceAuthenticationError)
  /// Armed cards of these processes were answering a command, as of a process that was stopped, and did not end it within
  /// 1 s. A cryptogram that such a card has computed already may leave when its process goes on.
  case stillAnswering(processes: [Int32])

  /// A sentence that says what to do.
  public var description: String {
    switch self {
    case .notCounted(let error):
      """
      the change is stored, and the device has not counted it (\(error)): open the wallet once when the device can be \
      reached; until then an older copy of its folder is not noticed
      """
    case .keyNotDeleted(let error):
      """
      the cards were removed, and the device still has the wallet's key (\(error)): open or set up the wallet once when \
      the device can be reached; until then an older copy of its folder can pay
      """
    case .stillAnswering(let processes):
      """
      the change is stored, and process \(processes.map(String.init).joined(separator: ", ")) has not ended the command \
      that its card was answering, as when it is stopped: a payment that it has computed already may leave; no other will
      """
    }
  }
}

/// The changes that take a right away: of a card's state, of keys, of cards, by the cardholder and by an issuer.
///
/// The change is made first: neither the device nor another process that counts can delay it. Then the counts of the store
/// and of the device's key rise by 1, however many calls of the store the change consists of, so that a copy of the store from
/// before the change is refused. The store marks itself as `uncounted` in the transaction of the change, so that the next
/// opening counts what this process cannot count.
extension Wallet {
  /// How long a withdrawal waits for another process that counts on the same store, in seconds.
  private static let withdrawalLimit = 2

  /// Makes a change after which a card must not pay. Every such change goes through this function.
  ///
  /// When it returns, no command that a process of this store receives gets a cryptogram or a signature of the card: the
  /// count of withdrawals differs from that of each arming, and the cards that were answering a command have ended it, or
  /// are named by a warning.
  ///
  /// - Parameters:
  ///   - ids: The cards; nil for all cards.
  ///   - change: Makes the change in the store and revokes the payment in progress. What it has changed before an
  ///   error is counted too.
  /// - Returns: What could not be done besides; empty when everything was done.
  /// - Throws: The error of the change.
  func withdraw(
    from ids: [String]?, _ change: (any WalletStore) throws(WalletStoreError) -> Void
  ) async throws(WalletError) -> [WithdrawalWarning] {
    let page = store.withdrawals()
    let numbers = numbers(ofCards: ids)
    raise(page, for: numbers)
    let result = Result { () throws(WalletError) in try stored(change) }
    // Again: a card that was armed in between has the count of before, and a card of this name may be another by now.
    raise(page, for: numbers.map { $0.union(self.numbers(ofCards: ids) ?? []) })
    let processes = processesStillAnswering(on: page)
    let warnings = await countWithdrawals()
    try result.get()
    return warnings + (processes.isEmpty ? [] : [.stillAnswering(processes: processes)])
  }

  /// The numbers of cards; nil for all cards, and when the store does not show them.
  private func numbers(ofCards ids: [String]?) -> Set<Int64>? {
    guard let ids, let cards = try? store.cards() else { return nil }
    return Set(cards.filter { ids.contains($0.id) }.map(\.number))
  }

  private func raise(_ page: WithdrawalPage?, for numbers: Set<Int64>?) {
    guard let numbers else { return page?.raise(forCard: nil) ?? () }
    for number in numbers { page?.raise(forCard: number) }
  }

  private func processesStillAnswering(on page: WithdrawalPage?) -> [Int32] {
    if let page { return page.processesStillAnswering() }
    // Without a page no reading from before the change may be recent enough for a command.
    if store.mayBlock { pause(for: PaymentWatch.validity + PaymentWatch.interval) }
    return []
  }

  /// Makes a change that an older copy of the store must not undo, also one that leaves a payment in progress as it is.
  ///
  /// The change, the result and the error are those of `withdraw`.
  func counted(
    _ change: (any WalletStore) throws(WalletStoreError) -> Void
  ) async throws(WalletError) -> [WithdrawalWarning] {
    let result = Result { () throws(WalletError) in try stored(change) }
    let warnings = await countWithdrawals()
    try result.get()
    return warnings
  }

  /// Raises both counts when a change has marked the store.
  private func countWithdrawals() async -> [WithdrawalWarning] {
    // A wallet that was reset has no right left.
    guard let key = verifier?.key else { return [] }
    do throws(WalletError) {
      let binding = try stored { (store) throws(WalletStoreError) in try store.binding() }
      guard binding?.counting == .uncounted else { return [] }
      let lock = try await lockCounting(within: Self.withdrawalLimit)
      defer { withExtendedLifetime(lock) {} }
      try await alignCounts(of: key)
      return []
    } catch .notInitialized {
      // Another process has reset the wallet meanwhile.
      return []
    } catch { return [.notCounted(error)] }
  }
}

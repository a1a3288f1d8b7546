internal import DeviceAuthentication
internal import Octets
internal import Synchronization

/// Why the watch of an armed card ends its payment.
enum PaymentFinding: Sendable {
  /// Another process has changed the store.
  case revoked(PaymentRevocation)
  /// The device may have lost the key: the next access shows why.
  case keyLost
  /// The store or the device could not be read for 1 s, for this reason.
  case unavailable(String)
}

/// Watches the store and the device of an armed card for changes that other processes make.
///
/// The card's thread takes no part: the store is read on the wallet's executor, and the device is watched by a task of its
/// own. What the wallet itself changes, it revokes through its `PaymentSlot`.
final class PaymentWatch: Sendable {
  /// The time between two readings of the store, a quarter of the 100 ms within which a change is noticed.
  static let interval = Duration.milliseconds(25)
  /// How many readings in a row may fail or be late: those of 1 s. Intervals are counted and not time, so that a process
  /// that was stopped goes on.
  static let patience = 40

  private enum Reading { case none, waiting, running }

  private struct State {
    var reading = Reading.none
    var failures = 0
    var hasEnded = false
    var next: ScheduledCall?
    var device: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let store: any WalletStore
  private let executor: StoreExecutor
  private let clock: any MonotonicClock
  private let card: Int64
  private let key: KeyIdentifier?
  private let report: @Sendable (PaymentFinding) -> Void

  /// Begins to watch, until the watch is released or has reported.
  ///
  /// - Parameters:
  ///   - card: The number of the card in its store.
  ///   - report: Receives one finding at most, on a thread of the watch.
  init(
    _ card: Int64, of wallet: Wallet, under key: KeyIdentifier?, report: @escaping @Sendable (PaymentFinding) -> Void
  ) {
    (store, executor, clock) = (wallet.store, wallet.executor, wallet.clock)
    (self.card, self.key, self.report) = (card, key, report)
    if let key { watchDevice(wallet.device.keys, key) }
    // A store whose calls never wait is no other process's.
    if store.mayBlock { schedule() }
  }

  deinit { end() }

  /// Ends the watch. Returns whether it had not ended before.
  @discardableResult
  private func end() -> Bool {
    let (wasRunning, next, device) = state.withLock { state in
      defer { state.hasEnded = true }
      return (!state.hasEnded, state.next, state.device)
    }
    next?.cancel()
    device?.cancel()
    return wasRunning
  }

  private func find(_ finding: PaymentFinding) {
    if end() { report(finding) }
  }

  private func watchDevice(_ keys: any ProtectedKeyStore, _ key: KeyIdentifier) {
    let task = Task.detached { [weak self] in
      do throws(DeviceAuthenticationError) {
        try await keys.waitForLoss(of: key)
        self?.find(.keyLost)
      } catch {
        if !Task.isCancelled { self?.find(.unavailable("the device could not be read for 1 s (\(error))")) }
      }
    }
    state.withLock { $0.device = task }
  }

  private func schedule() {
    let next = clock.call(at: clock.now + Self.interval) { [weak self] in self?.tick() }
    state.withLock { $0.next = next }
  }

  /// On the thread of the clock's timers.
  private func tick() {
    let (isDue, isOver) = state.withLock { state in
      switch state.reading {
      case .none:
        state.reading = .waiting
        return (!state.hasEnded, false)
      // Behind calls of this wallet, which have limits of their own.
      case .waiting: return (false, false)
      case .running:
        state.failures += 1
        return (false, state.failures >= Self.patience)
      }
    }
    if isOver { return find(.unavailable("the wallet's store could not be read for 1 s")) }
    if isDue { executor.perform { [weak self] in self?.read() } }
    if !state.withLock(\.hasEnded) { schedule() }
  }

  /// On the wallet's executor.
  private func read() {
    state.withLock { $0.reading = .running }
    let finding = present()
    state.withLock { $0.reading = .none }
    if let finding { find(finding) }
  }

  /// Why the payment must end; nil when it may go on, or when the store may be read later.
  private func present() -> PaymentFinding? {
    do throws(WalletStoreError) {
      let status = try store.status(ofCard: card)
      state.withLock { $0.failures = 0 }
      return status.revocation(under: key).map(PaymentFinding.revoked)
    } catch .removed {
      return .revoked(.storeRemoved)
    } catch {
      let failures = state.withLock { state in
        state.failures += 1
        return state.failures
      }
      guard failures >= Self.patience else { return nil }
      return .unavailable("the wallet's store could not be read for 1 s (\(error))")
    }
  }
}

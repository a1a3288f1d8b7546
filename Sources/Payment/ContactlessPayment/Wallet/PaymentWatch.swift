internal import DeviceAuthentication
internal import Dispatch
internal import Links
internal import Octets
internal import Synchronization

/// Why the watch of an armed card ends its payment.
enum PaymentFinding: Sendable {
  /// Another process has changed the store.
  case revoked(PaymentRevocation)
  /// The device may have lost the key: the next access shows why.
  case keyLost
  /// The policy needs a biometric, and nothing is enrolled any more.
  case nothingEnrolled
  /// The store or the device could not be read for 1 s, for this reason.
  case unavailable(String)
}

/// Reads the store and the device of an armed card again and again, for changes that other processes make.
///
/// The readings run on a queue of their own; those of a store and a device in this process, which never wait, run where they
/// are requested. What the wallet itself changes, it revokes through its `PaymentSlot`.
final class PaymentWatch: Sendable {
  /// The time between two readings, a quarter of the 100 ms within which a change is noticed.
  static let interval = Duration.milliseconds(25)
  /// How many readings in a row may fail or be late: those of 1 s. Intervals are counted and not time, so that a process
  /// that was stopped goes on.
  static let patience = 40
  /// The same for the first reading: 10 s, since a chip may need seconds to load a key.
  static let firstPatience = 400
  /// The age of a reading from which on a command waits for the next one.
  static let validity = Duration.milliseconds(100)
  private static let validityNanoseconds: Int64 = 100_000_000
  /// How long a command waits for a reading.
  static let hold = Duration.seconds(1)

  private struct State {
    var isReading = false
    var failures = 0
    /// How many readings have found nothing since a withdrawal was noticed; nil before it.
    var unexplained: Int?
    var hasEnded = false
    var next: ScheduledCall?
  }

  private let state = Mutex(State())
  /// The nanoseconds of the instant at which the latest reading began.
  private let latest = Atomic<Int64>(.min)
  private let executor: StoreExecutor
  private let clock: any MonotonicClock
  private let subject: PaymentSubject
  private let report: @Sendable (PaymentFinding) -> Void

  /// Begins to watch, until the watch is released, is ended or has reported.
  ///
  /// - Parameter report: Receives one finding at most, on a thread of the watch.
  init(_ subject: PaymentSubject, on clock: any MonotonicClock, report: @escaping @Sendable (PaymentFinding) -> Void) {
    (self.subject, self.clock, self.report) = (subject, clock, report)
    executor = StoreExecutor(mayBlock: subject.mayBlock)
    executor.perform { [weak self] in self?.read() }
    schedule()
  }

  deinit { end() }

  /// Ends the watch. Returns whether it had not ended before.
  @discardableResult
  func end() -> Bool {
    let (wasRunning, next) = state.withLock { state in
      defer { state.hasEnded = true }
      return (!state.hasEnded, state.next)
    }
    next?.cancel()
    return wasRunning
  }

  private func find(_ finding: PaymentFinding) {
    if end() { report(finding) }
  }

  // MARK: Readings

  private func schedule() {
    let next = clock.call(at: clock.now + Self.interval) { [weak self] in self?.tick() }
    state.withLock { $0.next = next }
  }

  /// On the thread of the clock's timers.
  private func tick() {
    let (hasEnded, isReading) = state.withLock { ($0.hasEnded, $0.isReading) }
    guard !hasEnded else { return }
    if isReading {
      fail("the wallet's store or device did not answer")
    } else {
      executor.perform { [weak self] in self?.read() }
    }
    if !state.withLock(\.hasEnded) { schedule() }
  }

  private func fail(_ reason: String) {
    let failures = state.withLock { state in
      state.failures += 1
      return state.failures
    }
    let hasRead = latest.load(ordering: .sequentiallyConsistent) != .min
    if failures >= (hasRead ? Self.patience : Self.firstPatience) {
      find(.unavailable("\(reason) for \(hasRead ? 1 : 10) s"))
    }
  }

  private func read() {
    state.withLock { $0.isReading = true }
    let begun = clock.now
    let reading = subject.reading()
    state.withLock { $0.isReading = false }
    switch reading {
    case .found(let finding): find(finding)
    case .failed(let reason): fail(reason)
    case .unchanged:
      state.withLock { $0.failures = 0 }
      // Readings of two threads may end in another order than they began.
      latest.max(begun.nanoseconds, ordering: .sequentiallyConsistent)
      explainWithdrawal()
    }
  }

  /// A withdrawal that was noticed before it was stored has its reason in a later reading.
  private func explainWithdrawal() {
    let isUnexplained = state.withLock { state in
      guard let readings = state.unexplained else { return false }
      state.unexplained = readings + 1
      return readings >= Self.patience
    }
    if isUnexplained { find(.revoked(.walletChanged)) }
  }

  /// Waits until the readings that were requested before have ended.
  func settled() async {
    await withCheckedContinuation { continuation in executor.perform { continuation.resume() } }
  }

  // MARK: The card's thread

  /// Whether the latest reading is recent enough for a command that is answered now.
  func isCurrent(at now: Instant) -> Bool {
    let latest = latest.load(ordering: .sequentiallyConsistent)
    // Numbers: the difference of two instants as a duration takes a hundred instructions.
    let (age, isOverflowing) = now.nanoseconds.subtractingReportingOverflow(latest)
    return latest != .min && !isOverflowing && age <= Self.validityNanoseconds
  }

  /// Waits for a reading that begins now. Blocks for `hold` at most; without one, the watch reports that.
  func refresh() {
    // The wait is one of this machine, whatever clock the session has.
    let (begun, real) = (clock.now, SystemClock())
    let end = real.now + Self.hold
    repeat {
      let hasRead = DispatchSemaphore(value: 0)
      executor.perform { [self] in
        read()
        hasRead.signal()
      }
      guard hasRead.wait(timeout: .now() + .nanoseconds(Int((end - real.now).nanoseconds))) == .success else { break }
      if latest.load(ordering: .sequentiallyConsistent) >= begun.nanoseconds || state.withLock(\.hasEnded) { return }
      // The device may be in use by another process.
      pause(for: Self.interval)
    } while real.now < end
    find(.unavailable("the wallet's store or device could not be read for 1 s"))
  }

  /// The card has noticed a withdrawal, and computes no more. A reading finds the reason, at once or when the withdrawal is
  /// stored.
  func noteWithdrawal() {
    state.withLock { $0.unexplained = $0.unexplained ?? 0 }
    executor.perform { [weak self] in self?.read() }
  }
}

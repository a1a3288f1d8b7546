internal import DeviceAuthentication
internal import Octets
internal import Synchronization

/// Reads the lock epoch again and again while a caller waits for the loss of a key. A TPM that is gone, or does not answer,
/// is noticed by it.
final class EpochWatch: Sendable {
  /// The time between the beginnings of two readings: a chip needs some 10 ms for one.
  static let interval = Duration.milliseconds(100)
  /// How old the last reading may be. The creation of a primary key, which a chip does not interrupt, takes less.
  static let patience = Duration.milliseconds(750)

  private struct State {
    var isReading = false
    var begun: Instant
    var ended: Instant
    var present: LockEpoch
    var error: DeviceAuthenticationError?
  }

  private let counter: any LockEpochCounter
  private let first: LockEpoch
  private let clock: any MonotonicClock
  private let state: Mutex<State>

  /// - Parameter first: The epoch that the TPM has just returned.
  init(of counter: any LockEpochCounter, from first: LockEpoch, _ clock: any MonotonicClock) {
    (self.counter, self.first, self.clock) = (counter, first, clock)
    state = Mutex(State(begun: clock.now, ended: clock.now, present: first))
  }

  /// Whether the epoch is the first one. Begins the next reading when it is due, and does not wait for it.
  ///
  /// - Throws: The error of the last reading; `.unavailable` when the last reading is older than `patience`.
  func isUnchanged() throws(DeviceAuthenticationError) -> Bool {
    let now = clock.now
    let (isDue, state) = state.withLock { ($0.begun + Self.interval <= now, $0) }
    if isDue { begin() }
    if let error = state.error { throw error }
    guard now - state.ended < Self.patience else {
      throw .unavailable(reason: "the TPM has not answered for \(Self.patience.text)")
    }
    return state.present == first
  }

  private func begin() {
    let begins = state.withLock { state in
      guard !state.isReading else { return false }
      (state.isReading, state.begun) = (true, clock.now)
      return true
    }
    guard begins else { return }
    Task { [counter, self] in
      do throws(DeviceAuthenticationError) {
        note(try await counter.value(), nil)
      } catch {
        note(nil, error)
      }
    }
  }

  private func note(_ epoch: LockEpoch?, _ error: DeviceAuthenticationError?) {
    state.withLock { state in
      (state.isReading, state.error) = (false, error)
      guard let epoch else { return }
      state.ended = clock.now
      state.present = epoch
    }
  }
}

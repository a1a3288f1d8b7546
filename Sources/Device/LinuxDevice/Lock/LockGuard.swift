public import DeviceAuthentication
internal import Foundation
internal import Glibc
internal import Octets
internal import POSIX

/// Notices each removal of the passcode of one user and raises the lock epoch, also for a removal while no device ran.
///
/// The guard compares the shadow entry with the state that it stored at the last check, with the journal of the password
/// hook, and with the replacements of the file that it saw. It raises the epoch before it stores the new state: when this
/// process ends in between, or the counter does not answer, the next check raises it again.
public actor LockGuard: DeviceLock {
  private let user: String
  private let file: ShadowFile
  private let directory: LockDirectory
  private let counter: any LockEpochCounter
  private var known: PasscodeState?
  private var replacements: Int?
  /// How many removals this process has noticed.
  private(set) var removals = 0
  private var last: Task<Result<PasscodeState, DeviceAuthenticationError>, Never>?

  /// Creates a guard and starts to watch the file. Nothing is compared yet.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - shadow: The path of the shadow file.
  ///   - directory: The directory of the state and the journal of this user. It is created with mode 0700; the directory
  ///     above it must exist.
  ///   - counter: The counter of the removals.
  /// - Throws: `.unavailable` when the file cannot be watched or the directory cannot be created.
  public init(
    user: String, shadow: String = "/etc/shadow", directory: String, counter: any LockEpochCounter
  ) throws(DeviceAuthenticationError) {
    self.user = user
    self.counter = counter
    self.directory = LockDirectory(path: directory)
    try self.directory.create()
    file = try ShadowFile(path: shadow)
  }

  /// Whether the passcode is set now, after every removal until now has raised the epoch.
  ///
  /// - Throws: `.busy` or `.unavailable` when a removal could not be counted, or the state cannot be read or stored.
  public func isSet() async throws(DeviceAuthenticationError) -> Bool { try await settled().isSet }

  /// The lock epoch, after every removal until now has raised it.
  ///
  /// - Throws: `.busy` or `.unavailable`.
  public func epoch() async throws(DeviceAuthenticationError) -> LockEpoch {
    _ = try await settled()
    return try await counter.value()
  }

  /// Checks once, after the checks that were asked for before.
  func settled() async throws(DeviceAuthenticationError) -> PasscodeState {
    let previous = last
    let task = Task { () -> Result<PasscodeState, DeviceAuthenticationError> in
      _ = await previous?.value
      return await result()
    }
    last = task
    return try await task.value.get()
  }

  private func result() async -> Result<PasscodeState, DeviceAuthenticationError> {
    do throws(DeviceAuthenticationError) {
      return .success(try await check())
    } catch {
      return .failure(error)
    }
  }

  private func check() async throws(DeviceAuthenticationError) -> PasscodeState {
    let present = try read()
    guard let stored = try storedState() else { return try store(present) }
    let journal = try directory.journal()
    let history = LockHistory(known: stored, journal: journal, replacements: replacements)
    if history.hasRemoval(before: present) {
      // Before the counter, which takes its time: an armed card is disarmed meanwhile.
      removals += 1
      _ = try await counter.increment()
    } else if present == stored {
      // The journal stays: the hook runs before the change that it announces.
      return settle(present)
    }
    return try store(present)
  }

  private func storedState() throws(DeviceAuthenticationError) -> PasscodeState? {
    if let known { return known }
    return try directory.state()
  }

  /// Reads the state, again until the file was not replaced meanwhile.
  private func read() throws(DeviceAuthenticationError) -> PasscodeState {
    count(file.replacements())
    while true {
      let state = try ShadowFile.state(of: user, in: file.path)
      let more = file.replacements()
      if more == 0 { return state }
      count(more)
    }
  }

  // Replacements count only after the first check of this process.
  private func count(_ more: Int) { if known != nil { replacements = (replacements ?? 0) + more } }

  private func store(_ state: PasscodeState) throws(DeviceAuthenticationError) -> PasscodeState {
    try directory.store(state)
    try directory.emptyJournal()
    return settle(state)
  }

  private func settle(_ state: PasscodeState) -> PasscodeState {
    known = state
    replacements = 0
    return state
  }
}

extension LockGuard {
  /// Checks after each change of the file until the returned watch is released, so that a removal raises the epoch
  /// within milliseconds also when no program asks.
  public nonisolated func watch() -> LockWatch { LockWatch(of: self, file) }
}

/// The thread that waits for changes of the shadow file.
public final class LockWatch: Sendable {
  // Without a descriptor nothing is watched, and each request checks.
  private let end = try? WakeSignal()

  init(of lock: LockGuard, _ file: ShadowFile) {
    guard let end else { return }
    _ = startDetachedThread {
      while end.wait(for: file.descriptor, POLLIN, timeout: nil) == .ready {
        let done = DispatchSemaphore(value: 0)
        Task {
          // A removal that cannot be counted is counted by the next request, which fails until then.
          _ = try? await lock.settled()
          done.signal()
        }
        done.wait()
      }
    }
  }

  deinit { end?.raise() }
}

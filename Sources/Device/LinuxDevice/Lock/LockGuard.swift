package import DeviceAuthentication
internal import Foundation
internal import Glibc
internal import Octets
internal import POSIX
internal import Synchronization

/// Notices each removal of the passcode of one user and raises the lock epoch, also for a removal while no device ran.
///
/// The guard compares the shadow entry with the state that it stored at the last check, with the changes that the password
/// hook saw, and with the replacements of the file that it saw. It raises the epoch before it stores the new state: when
/// this process ends in between, or the counter does not answer, the next check raises it again.
package actor LockGuard: DeviceLock {
  /// How long a check waits for a program that has announced a change, changed the passcode and not completed the change.
  private static let completionLimit = Duration.seconds(5)
  private static let completionInterval = Duration.milliseconds(5)

  private let user: String
  private let file: ShadowFile
  private let directory: LockDirectory
  /// The counter of the removals.
  let counter: any LockEpochCounter
  private var known: PasscodeState?
  private var replacements: Int?
  private nonisolated let noticed = Atomic<Int>(0)
  private var checks = 0
  private var last: Task<Result<PasscodeState, DeviceAuthenticationError>, Never>?

  /// Creates a guard and starts to watch the file. Nothing is compared yet.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - shadow: The path of the shadow file.
  ///   - directory: The directory of the record of this user. It is created with mode 0700; the directory
  ///     above it must exist.
  ///   - counter: The counter of the removals.
  /// - Throws: `.unavailable` when the file cannot be watched or the directory cannot be created.
  package init(
    user: String, shadow: String = "/etc/shadow", directory: String, counter: any LockEpochCounter
  ) throws(DeviceAuthenticationError) {
    self.user = user
    self.counter = counter
    self.directory = LockDirectory(path: directory)
    try self.directory.create()
    file = try ShadowFile(path: shadow)
  }

  /// How many removals this process has noticed.
  nonisolated var removals: Int { noticed.load(ordering: .sequentiallyConsistent) }

  /// Whether the passcode is set now, after every removal until now has raised the epoch.
  ///
  /// - Throws: `.busy` or `.unavailable` when a removal could not be counted, or the state cannot be read or stored.
  package func isSet() async throws(DeviceAuthenticationError) -> Bool { try await settled().isSet }

  /// The lock epoch, after every removal until now has raised it.
  ///
  /// - Throws: `.busy` or `.unavailable`.
  package func epoch() async throws(DeviceAuthenticationError) -> LockEpoch {
    _ = try await settled()
    return try await counter.value()
  }

  /// Checks once, after the checks that were asked for before.
  func settled() async throws(DeviceAuthenticationError) -> PasscodeState {
    checks += 1
    defer { checks -= 1 }
    let previous = last
    let task = Task { () -> Result<PasscodeState, DeviceAuthenticationError> in
      _ = await previous?.value
      return await result()
    }
    last = task
    return try await task.value.get()
  }

  /// Whether the entry is that of the last check. Begins a check when it is not, and does not wait for it.
  ///
  /// - Throws: `.unavailable` when the shadow file cannot be read.
  func isUnchanged() throws(DeviceAuthenticationError) -> Bool {
    let isUnchanged = try ShadowFile.state(of: user, in: file.path) == known
    if !isUnchanged, checks == 0 { Task { _ = try? await settled() } }
    return isUnchanged
  }

  private func result() async -> Result<PasscodeState, DeviceAuthenticationError> {
    do throws(DeviceAuthenticationError) {
      return .success(try await check())
    } catch {
      return .failure(error)
    }
  }

  private func check() async throws(DeviceAuthenticationError) -> PasscodeState {
    let limit = SystemClock().now + Self.completionLimit
    while true {
      let (present, record) = try reading()
      guard let record else { return try store(present, judging: []) }
      let history = LockHistory(
        known: known ?? record.known, changes: record.changes,
        formerJournal: record.isServed ? [] : try directory.formerJournal(), replacements: replacements)
      if let announced = record.announced, announced.program.isRunning, SystemClock().now < limit,
        history.awaits(announced, leadingTo: present)
      {
        try? await Task.sleep(for: Self.completionInterval)
        continue
      }
      if history.hasRemoval(before: present) {
        // Before the counter, which takes its time: an armed card is disarmed meanwhile.
        noticed.wrappingAdd(1, ordering: .sequentiallyConsistent)
        _ = try await counter.increment()
      } else if present == known ?? record.known, record.changes.isEmpty, record.isServed {
        return settle(present)
      }
      return try store(present, judging: record.changes)
    }
  }

  /// Reads the state and the record, again until the hook has not changed the record meanwhile: a change that the state shows
  /// is announced or complete in the record then.
  private func reading() throws(DeviceAuthenticationError) -> (PasscodeState, LockRecord?) {
    var record = try directory.record()
    while true {
      let present = try read()
      let again = try directory.record()
      if again == record { return (present, record) }
      record = again
    }
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

  private func store(
    _ state: PasscodeState, judging changes: [PasscodeChange]
  ) throws(DeviceAuthenticationError) -> PasscodeState {
    try directory.update { record in
      var record = record ?? LockRecord(known: state, isServed: true)
      record.settle(on: state, judging: changes)
      return record
    }
    directory.removeFormerJournal()
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
  package nonisolated func watch() -> LockWatch { LockWatch(of: self, file) }
}

/// The thread that waits for changes of the shadow file.
package final class LockWatch: Sendable {
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

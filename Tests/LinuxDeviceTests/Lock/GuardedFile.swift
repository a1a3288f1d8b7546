import DeviceAuthentication
import Foundation
import LinuxDevice
import Synchronization
import TestSupport
import Testing

/// A shadow file with one user, and a guard of it.
final class GuardedFile: Sendable {
  let scratch: Scratch
  let counter = TestCounter()

  init(_ hash: String) throws {
    scratch = try Scratch()
    try replace(hash)
  }

  var shadow: String { scratch.path("shadow") }
  var state: String { scratch.path("state") }

  /// Replaces the file, as passwd does. Another program writes it: a child that this process starts meanwhile would hold
  /// the new file open beyond its renaming, and its close would then look like a second change.
  func replace(_ hash: String) throws {
    let lines = ["root:*:1::::::", "holder:\(hash):1::::::"]
    let script = #"shadow=$0; printf '%s\n' "$@" > "$shadow+" && mv "$shadow+" "$shadow""#
    #expect(try ProgramRun("/bin/sh", ["-c", script, shadow] + lines).finish() == .exited(0))
  }

  /// Starts a device for the user.
  func guardian() throws(DeviceAuthenticationError) -> LockGuard {
    try LockGuard(user: "holder", shadow: shadow, directory: state + "/holder", counter: counter)
  }

  /// A device that has served the user once.
  func settled() async throws -> LockGuard {
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let guardian = try guardian()
    _ = try await guardian.isSet()
    return guardian
  }

  /// Runs the hook before a change, and then the change.
  func change(_ hash: String) throws {
    try PasswordHook(shadow: shadow, directory: state).run(user: "holder")
    try replace(hash)
  }
}

/// A counter in memory.
final class TestCounter: LockEpochCounter {
  private let state = Mutex((value: UInt64(7), failure: DeviceAuthenticationError?.none))

  var removals: UInt64 { state.withLock { $0.value - 7 } }
  func fail(_ error: DeviceAuthenticationError?) { state.withLock { $0.failure = error } }

  func value() async throws(DeviceAuthenticationError) -> LockEpoch { try step(0) }
  func increment() async throws(DeviceAuthenticationError) -> LockEpoch { try step(1) }

  private func step(_ count: UInt64) throws(DeviceAuthenticationError) -> LockEpoch {
    let result = state.withLock { state -> Result<LockEpoch, DeviceAuthenticationError> in
      if let failure = state.failure { return .failure(failure) }
      state.value += count
      return .success(LockEpoch(rawValue: state.value))
    }
    return try result.get()
  }
}

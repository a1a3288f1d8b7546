import DeviceAuthentication
import Foundation
import Octets
import Synchronization
import TestSupport
import Testing

@testable import LinuxDevice

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

  /// Makes a change as PAM does, with the hook before and after it.
  func change(_ hash: String) throws {
    try announce()
    try replace(hash)
    try complete()
  }

  /// Runs the hook before a change.
  func announce(by program: HookedProgram = ended) throws {
    try PasswordHook(shadow: shadow, directory: state).run(user: "holder", .beforeChange, of: program)
  }

  /// Runs the hook after a change.
  func complete(by program: HookedProgram = ended) throws {
    try PasswordHook(shadow: shadow, directory: state).run(user: "holder", .afterChange, of: program)
  }

  /// A program that has ended.
  static let ended = HookedProgram(boot: "0", process: 7)

  /// The record of the device.
  func record() throws -> String { try String(contentsOfFile: state + "/holder/state", encoding: .utf8) }

  /// Writes the files of the version whose hook ran before a change only.
  ///
  /// - Parameters:
  ///   - known: The hash at the last check.
  ///   - journal: The hashes that the hook has found.
  func setFormer(known: String = "$6$a$one", journal: String...) throws {
    try Self.line(known).write(toFile: state + "/holder/state", atomically: true, encoding: .utf8)
    let lines = journal.map(Self.line).joined()
    try lines.write(toFile: state + "/holder/journal", atomically: true, encoding: .utf8)
  }

  private static func line(_ hash: String) -> String {
    switch PasscodeState(of: "holder", in: Array("holder:\(hash):".utf8)) {
    case .notSet: "none\n"
    case .set(let digest): "set \(digest.hex)\n"
    }
  }
}

/// A counter in memory.
final class TestCounter: LockEpochCounter {
  private let state = Mutex((value: UInt64(7), failure: DeviceAuthenticationError?.none))
  private let hangs = Mutex(false)

  /// From now on no call returns, until its task is cancelled.
  func hang() { hangs.withLock { $0 = true } }

  var removals: UInt64 { state.withLock { $0.value - 7 } }
  func fail(_ error: DeviceAuthenticationError?) { state.withLock { $0.failure = error } }

  func value() async throws(DeviceAuthenticationError) -> LockEpoch {
    if hangs.withLock(\.self) { try? await Task.sleep(for: .seconds(3600)) }
    return try step(0)
  }
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

import DeviceAuthentication
import Foundation
@testable import LinuxDevice
import Octets
import TestSupport
import Testing

@Suite("The guard of the lock", .timeLimit(.minutes(60)))
struct LockGuardTests {
  private let one = "$6$a$one"
  private let two = "$6$a$two"

  @Test func `the lock is set while the entry has a hash, also when the account is locked`() async throws {
    let file = try GuardedFile(one)
    let lock = try await file.settled()
    #expect(try await lock.isSet())
    try file.replace("!" + one)
    #expect(try await lock.isSet())
    try file.replace("!")
    #expect(try await lock.isSet() == false)
    #expect(file.counter.removals == 1)
  }

  @Test func `a removal raises the epoch before the state is returned, and only once`() async throws {
    let file = try GuardedFile(one)
    let lock = try await file.settled()
    let epoch = try await lock.epoch()
    try file.replace("")
    #expect(try await lock.epoch() > epoch)
    #expect(try await lock.isSet() == false)
    #expect(file.counter.removals == 1)
  }

  @Test func `a change while the device runs does not raise the epoch`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    for hash in [two, one, two] {
      try file.replace(hash)
      #expect(try await guardian.isSet())
    }
    #expect(file.counter.removals == 0)
  }

  @Test func `20 removals with a new passcode at once are all noticed`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    for round in 1...20 as ClosedRange<UInt64> {
      try file.replace("")
      try file.replace("$6$a$\(round)")
      #expect(try await guardian.isSet())
      #expect(file.counter.removals == round)
    }
  }

  @Test func `a removal while no device ran is noticed, also after a new passcode`() async throws {
    for hash in ["", two] {
      let file = try GuardedFile(one)
      _ = try await file.settled()
      try file.replace("")
      try file.replace(hash)
      _ = try await file.settled()
      #expect(file.counter.removals == 1, "\(hash)")
      _ = try await file.settled()
      #expect(file.counter.removals == 1, "\(hash)")
    }
  }

  @Test func `a change while no device ran is no removal when the hook has journaled it`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.change(two)
    try file.change("$6$a$three")
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
    try file.replace("")
    try file.change(one)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `the same passcode again after a removal is noticed by the hook`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.replace("")
    try file.change(one)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `the hook before its change, then a check, then the change: no removal`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    try PasswordHook(shadow: file.shadow, directory: file.state).run(user: "holder")
    #expect(try await guardian.isSet())
    try file.replace(two)
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
  }

  @Test func `a removal that cannot be counted fails every request until it is counted`() async throws {
    let file = try GuardedFile(one)
    let lock = try await file.settled()
    let broken = DeviceAuthenticationError.unavailable(reason: "no TPM")
    file.counter.fail(broken)
    try file.replace("")
    try file.replace(two)
    for _ in 0..<3 {
      await #expect(throws: broken) { try await lock.isSet() }
      await #expect(throws: broken) { try await lock.epoch() }
    }
    file.counter.fail(nil)
    #expect(try await lock.isSet())
    #expect(file.counter.removals == 1)
  }

  @Test func `a removal that could not be counted is counted by the next device`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    file.counter.fail(.unavailable(reason: "no TPM"))
    try file.replace("")
    _ = try? await guardian.isSet()
    try file.replace(two)
    file.counter.fail(nil)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test(arguments: ["", "x", "set\n", "set 00\n", "none", "none none\n", "\u{0}"])
  func `a damaged state counts as a removal, once`(_ text: String) async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try text.write(toFile: file.state + "/holder/state", atomically: false, encoding: .utf8)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `a damaged journal counts as a removal`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.change(two)
    try "set 12".write(toFile: file.state + "/holder/journal", atomically: false, encoding: .utf8)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `a missing shadow file is an error, not a removal`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    try FileManager.default.removeItem(atPath: file.shadow)
    await #expect(throws: DeviceAuthenticationError.self) { try await guardian.isSet() }
    try file.replace(one)
    _ = try? await guardian.isSet()
    #expect(try await guardian.isSet())
  }

  @Test func `the watch counts a removal without a request`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    let watch = guardian.watch()
    try file.replace("")
    while file.counter.removals == 0 { try await Task.sleep(for: .milliseconds(1)) }
    withExtendedLifetime(watch) {}
    #expect(file.counter.removals == 1)
  }

  @Test func `checks that are asked for at the same time count a removal once`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    try file.replace("")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { _ = try? await guardian.isSet() } }
    }
    #expect(file.counter.removals == 1)
  }

  @Test func `the state names no hash, and only its owner can read it`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    let path = file.state + "/holder/state"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("one"))
  }

  @Test func `the hook ignores users without a device, and names that are paths`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    for user in ["root", "nobody", "", ".", "..", "../holder", "a/b", String(repeating: "x", count: 65)] {
      try PasswordHook(shadow: file.shadow, directory: file.state).run(user: user)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.state) == ["holder"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.state + "/holder") == ["state"])
  }

  @Test func `a wait for the loss of a key ends at most 100 ms after a removal that the guard has counted`()
    async throws
  {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    let device = SimulatedDevice(signing: ToySigning())
    device.setPasscode("1")
    let timer = ManualClock()
    let keys = GuardedKeyStore(device.ports.keys, by: guardian, clock: timer)
    let key = try await keys.create(.sealing)
    let time = try await lossTime(of: key, in: keys, on: timer) {
      try file.replace("")
      _ = try await guardian.settled()
    }
    #expect(time <= .milliseconds(100))
  }

  @Test func `a key is used only after a check, and deleted without one`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    let device = SimulatedDevice(signing: ToySigning())
    device.setPasscode("1")
    let keys = GuardedKeyStore(device.ports.keys, by: guardian)
    let key = try await keys.create(.sealing)
    #expect(try await keys.access(key) == .usable)
    let broken = DeviceAuthenticationError.unavailable(reason: "no TPM")
    file.counter.fail(broken)
    try file.replace("")
    await #expect(throws: broken) { try await keys.access(key) }
    await #expect(throws: broken) { _ = try await keys.unseal(key) }
    await #expect(throws: broken) { try await keys.publicKey(of: key) }
    await #expect(throws: broken) { try await keys.sign([UInt8](repeating: 1, count: 32), with: key) }
    await #expect(throws: broken) { try await keys.counter(of: key) }
    await #expect(throws: broken) { try await keys.advanceCounter(of: key) }
    await #expect(throws: broken) { try await keys.create(.sealing) }
    try await keys.delete(key)
    file.counter.fail(nil)
    #expect(try await keys.access(key) == .missing)
    await #expect(throws: DeviceAuthenticationError.passcodeNotSet) { try await keys.create(.sealing) }
  }
}

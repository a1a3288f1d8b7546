import DeviceAuthentication
import Foundation
import Glibc
import Octets
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("The guard of the lock", .timeLimit(.minutes(60)), .blocks)
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

  @Test func `a check between the hook, its change and the hook again is no removal`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    for hash in [two, one] {
      try file.announce()
      #expect(try await guardian.isSet())
      try file.replace(hash)
      #expect(try await guardian.isSet())
      try file.complete()
      #expect(try await guardian.isSet())
      #expect(try !file.record().contains("change"))
    }
    try file.change(two)
    try file.change(one)
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
  }

  @Test func `two changes at once while the device runs are no removal, also before the hook has completed the second`()
    async throws
  {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    try file.change(two)
    try file.announce(by: .parent)
    try file.replace("$6$a$three")
    let check = Task { try await guardian.isSet() }
    try await Task.sleep(for: .milliseconds(50))
    try file.complete(by: .parent)
    #expect(try await check.value)
    #expect(file.counter.removals == 0)
  }

  @Test func `an announcement that was aborted explains no later change`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.announce()
    try file.replace(two)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `an announcement that was aborted leaves the next change explained`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    for hash in [two, one] {
      try file.announce()
      try file.change(hash)
    }
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
  }

  @Test func `a hash that was replaced between two changes of the hook is a removal`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.change(two)
    try file.replace("$6$a$three")
    try file.change(one)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `the hook after a change that another program has announced completes nothing`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.announce()
    try file.replace(two)
    try file.complete(by: .parent)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `a removal that only an aborted announcement saw is noticed, also when the next one has replaced it`()
    async throws
  {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.replace("")
    try file.announce()
    try file.replace(one)
    try file.announce()
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `the journal of the former version counts until the device has served its user once`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.setFormer(journal: one)
    try file.replace(two)
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
    #expect(access(file.state + "/holder/journal", F_OK) != 0)
    // A copy of the former program that still runs as the hook.
    try #require(rename(file.state + "/holder/state", file.state + "/kept") == 0)
    try file.setFormer(known: two, journal: two)
    try #require(rename(file.state + "/kept", file.state + "/holder/state") == 0)
    try file.replace(one)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `a removal in the journal of the former version is noticed`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.setFormer(journal: "", one)
    _ = try await file.settled()
    #expect(file.counter.removals == 1)
  }

  @Test func `a change of the former version and one of this version are no removal together`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.setFormer(journal: one)
    try file.replace(two)
    try file.change("$6$a$three")
    _ = try await file.settled()
    #expect(file.counter.removals == 0)
  }

  @Test func `a device that has only started has served its user in the present format`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    let record = try file.record()
    try file.setFormer()
    #expect(try file.record() != record)
    _ = try await file.settled()
    #expect(try file.record() == record)
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

  @Test(
    arguments: [
      "announced\n", "announced x none\n", "announced 00-1 x\n", "change none\n", "change none 00\n", "served x\n",
      "x\n", "x",
    ]) func `a damaged line counts as a removal, once`(_ line: String) async throws
  {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try (file.record() + line).write(toFile: file.state + "/holder/state", atomically: true, encoding: .utf8)
    for _ in 0..<2 {
      _ = try await file.settled()
      #expect(file.counter.removals == 1)
    }
  }

  @Test func `a damaged journal of the former version counts as a removal`() async throws {
    let file = try GuardedFile(one)
    _ = try await file.settled()
    try file.setFormer()
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
      try PasswordHook(shadow: file.shadow, directory: file.state).run(user: user, .beforeChange)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.state) == ["holder"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.state + "/holder") == ["state"])
  }

  @Test func `a reading finds a removal that the guard has noticed, and accesses a key once before it`() async throws {
    let file = try GuardedFile(one)
    let guardian = try await file.settled()
    let device = SimulatedDevice(signing: ToySigning())
    device.setPasscode("1")
    let keys = GuardedKeyStore(device.ports.keys, by: guardian)
    // A reading after a pause would access the key again.
    let monitor = GuardedMonitor(
      keys, by: guardian, isEnrolled: { () async throws(DeviceAuthenticationError) in true }, clock: ManualClock())
    let key = try await keys.create(.sealing)
    for _ in 0..<3 { #expect(try monitor.status(of: key, needsEnrolment: false) == .usable) }
    #expect(device.keyAccessCount == 1)
    try file.replace("")
    _ = try await guardian.settled()
    device.disableLockScreen()
    #expect(try monitor.status(of: key, needsEnrolment: false) == .keyLost)
  }

  enum Fault: CaseIterable { case failingCounter, hangingCounter, missingShadow }

  /// A guarded device whose key a monitor has read.
  private struct ReadDevice {
    let file: GuardedFile
    let guardian: LockGuard
    let key: KeyIdentifier
    private let monitor: GuardedMonitor
    private let clock = ManualClock()

    init(_ file: GuardedFile) async throws {
      self.file = file
      guardian = try await file.settled()
      let device = SimulatedDevice(signing: ToySigning())
      device.setPasscode("1")
      let keys = GuardedKeyStore(device.ports.keys, by: guardian)
      monitor = GuardedMonitor(
        keys, by: guardian, isEnrolled: { () async throws(DeviceAuthenticationError) in true }, clock: clock)
      key = try await keys.create(.sealing)
      #expect(try condition() == .usable)
    }

    func condition() throws(DeviceAuthenticationError) -> DeviceCondition {
      try monitor.status(of: key, needsEnrolment: true)
    }

    /// Reads again and again until a reading has another result than `usable`. The monitor's clock makes no pause between
    /// two readings, after which one would access the key, however late this task is.
    func change() async throws -> Result<DeviceCondition, DeviceAuthenticationError> {
      while true {
        let result = Result { () throws(DeviceAuthenticationError) in try condition() }
        guard case .success(.usable) = result else { return result }
        clock.advance(by: .milliseconds(20))
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  @Test(arguments: Fault.allCases)
  func `a reading fails while a part of the device cannot be read`(_ fault: Fault) async throws {
    let device = try await ReadDevice(GuardedFile(one))
    switch fault {
    case .failingCounter: device.file.counter.fail(.unavailable(reason: "no TPM"))
    case .hangingCounter: device.file.counter.hang()
    case .missingShadow: try FileManager.default.removeItem(atPath: device.file.shadow)
    }
    guard case .failure(let error) = try await device.change() else {
      Issue.record("the reading found a loss")
      return
    }
    #expect(error.kind == "unavailable")
    let part =
      switch fault {
      case .failingCounter: "no TPM"
      case .hangingCounter: "the TPM has not answered"
      case .missingShadow: device.file.shadow
      }
    #expect("\(error)".contains(part))
  }

  @Test func `a reading finds that another program has raised the epoch`() async throws {
    let device = try await ReadDevice(GuardedFile(one))
    _ = try await device.file.counter.increment()
    #expect(try await device.change() == .success(.keyLost))
  }

  @Test func `readings go on after a change of the passcode, and find its removal, also without a watch`() async throws
  {
    let device = try await ReadDevice(GuardedFile(one))
    try device.file.change(two)
    while (try? device.condition()) != .usable { try await Task.sleep(for: .milliseconds(20)) }
    try device.file.replace("")
    while true {
      do throws(DeviceAuthenticationError) {
        guard try device.condition() == .usable else { break }
      } catch {
        // The change is being checked.
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(device.file.counter.removals == 1)
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

import DeviceAuthentication
import Foundation
import Octets
import Synchronization
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("Faults of a TPM", .blocks, .timeLimit(.minutes(20)))
struct TPMFaultTests {
  @Test func `a TPM that was cleared has lost the keys, and makes new ones`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    for kind in ProtectedKeyKind.allCases {
      let key = try await keys.create(kind, counting: true)
      try tpm.tool("tpm2_clear", "-c", "p")
      #expect(try await keys.access(key) == .invalidated(.keyGone))
      #expect(await keys.error(of: key, kind) == .authenticationKeyInvalidated(.keyGone))
      #expect(try await keys.access(keys.create(kind, counting: true)) == .usable)
      try await keys.delete(key)
      #expect(try await keys.access(key) == .missing)
    }
    #expect(try tpm.leftHandles().isEmpty)
  }

  @Test func `a lockout of the TPM leaves the keys usable`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    try Self.lockOut(tpm)
    #expect(try tpm.tool("tpm2_getcap", "properties-variable").contains("inLockout:                 1"))
    #expect(try await keys.access(key) == .usable)
    #expect(try await keys.access(keys.create(.signing, counting: true)) == .usable)
  }

  /// Uses wrong values of a protected index until the TPM rejects every value.
  private static func lockOut(_ tpm: SoftwareTPM) throws {
    try tpm.tool("tpm2_dictionarylockout", "-s", "-n", "1", "-t", "1000", "-l", "1000")
    try tpm.tool(
      "tpm2_nvdefine", "-C", "o", "0x01800001", "-s", "8", "-p", "right", "-a", "authread|authwrite|ownerwrite")
    try tpm.tool("tpm2_nvread", "-C", "0x01800001", "-P", "wrong", "0x01800001", mayFail: true)
  }

  @Test func `a TPM whose owner has set a value is unavailable, with the reason`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    try tpm.tool("tpm2_changeauth", "-c", "o", "secret")
    for error in [
      await thrown { () throws(DeviceAuthenticationError) in try await keys.access(key) },
      await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing, counting: true) },
    ] { #expect("\(error, default: "")".contains("the owner of the TPM has set a value")) }
    try tpm.tool("tpm2_changeauth", "-c", "o", "-p", "secret")
    #expect(try await keys.access(key) == .usable)
  }

  @Test func `a killed TPM is unavailable, and after a restart its keys and counters are as before`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let (key, lost) = (try await keys.create(.sealing, counting: true), try await keys.create(.signing, counting: true))
    let octets = try await keys.octets(of: key)
    let counter = try await keys.advanceCounter(of: key)
    tpm.kill()
    #expect(await thrown { () throws(DeviceAuthenticationError) in try await keys.access(key) }?.kind == "unavailable")
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing, counting: true) }?.kind
        == "unavailable")
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await tpm.epoch.increment() }?.kind == "unavailable")
    try tpm.restart()
    #expect(try await keys.octets(of: key) == octets)
    #expect(try await keys.counter(of: key) == counter)
    let epoch = try await tpm.epoch.increment()
    tpm.kill()
    try tpm.restart()
    #expect(try await tpm.epoch.value() == epoch)
    guard case .invalidated(.lockRemoved) = try await keys.access(lost) else {
      Issue.record("the key of the earlier epoch is valid after a restart")
      return
    }
  }

  @Test func `a TPM that does not answer is unavailable after the limit`() async throws {
    let tpm = try SoftwareTPM()
    let key = try await tpm.store().create(.sealing, counting: true)
    let clock = ManualClock()
    let limited = TPMKeyStore(
      settings: tpm.settings(clock: clock, limit: .seconds(60)), directory: tpm.keyDirectory,
      lock: FixedLock(isLocked: true))
    tpm.stop()
    defer { tpm.resume() }
    let isDone = Mutex(false)
    let access = Task {
      let error = await thrown { () throws(DeviceAuthenticationError) in try await limited.access(key) }
      isDone.withLock { $0 = true }
      return error
    }
    while !isDone.withLock({ $0 }) {
      clock.advance(by: .seconds(60))
      try await Task.sleep(for: .milliseconds(1))
    }
    let error = await access.value
    #expect("\(error, default: "")".contains("has not answered within 60 s"))
  }

  @Test(arguments: [("TPM2_Create", 30), ("TPM2_CreatePrimary", 30), ("TPM2_Load", 5), ("TPM2_NV_Increment", 5)])
  func `a command has 5 s, and the creation of a key 30 s`(_ command: String, _ seconds: Int) {
    #expect(TPMSettings(user: 1000).limit(of: command) == .seconds(seconds))
  }

  @Test func `uses that wait for a use that hangs are busy after the limit`() throws {
    let scratch = try Scratch()
    let directory = KeyDirectory(path: scratch.path("keys"))
    try directory.exclusively(within: .zero) { () throws(DeviceAuthenticationError) in
      let error = #expect(throws: DeviceAuthenticationError.self) {
        try directory.exclusively(within: .milliseconds(20)) { () throws(DeviceAuthenticationError) in }
      }
      #expect(error?.kind == "busy")
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a TPM whose responses have any content and any length gives a typed error`(_ group: UInt64) async throws {
    let tpm = try SoftwareTPM()
    let (sealing, signing) = (
      try await tpm.store().create(.sealing, counting: true), try await tpm.store().create(.signing, counting: true)
    )
    for seed in group * 25..<(group + 1) * 25 {
      let hostile = try HostileTPM(seed: seed)
      let settings = TPMSettings(transport: hostile.transport, user: 1000, limit: .seconds(3600))
      let keys = TPMKeyStore(settings: settings, directory: tpm.keyDirectory, lock: FixedLock(isLocked: true))
      for (key, kind) in [(sealing, ProtectedKeyKind.sealing), (signing, .signing)] {
        #expect(await keys.error(of: key, kind) != nil, "seed \(seed)")
      }
      _ = await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.signing, counting: true) }
      _ = await thrown { () throws(DeviceAuthenticationError) in try await keys.advanceCounter(of: sealing) }
      _ = await thrown { () throws(DeviceAuthenticationError) in try await TPMLockEpoch(settings).increment() }
    }
  }

  @Test(arguments: ["", "nonsense", "device:/dev/null/tpm", "swtpm:path=/nonexistent/tpm", "tabrmd"])
  func `a transport without a TPM is unavailable`(_ transport: String) async throws {
    let scratch = try Scratch()
    let settings = TPMSettings(transport: transport, user: 1, limit: .seconds(3600))
    let keys = TPMKeyStore(settings: settings, directory: scratch.path("keys"), lock: FixedLock(isLocked: true))
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing, counting: true) }?.kind
        == "unavailable")
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await TPMLockEpoch(settings).value() }?.kind
        == "unavailable")
  }
}

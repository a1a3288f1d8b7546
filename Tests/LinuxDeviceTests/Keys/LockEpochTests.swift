import DeviceAuthentication
import Foundation
import LinuxDevice
import Octets
import TestSupport
import Testing

@Suite("The lock epoch in a TPM", .blocks, .timeLimit(.minutes(20)))
struct LockEpochTests {
  private static let index = "0x01A003E8"

  @Test func `the epoch only rises, by one with each removal`() async throws {
    let tpm = try SoftwareTPM()
    let first = try await tpm.epoch.value()
    #expect(try await tpm.epoch.value() == first)
    for step in 1...3 as ClosedRange<UInt64> {
      let raised = LockEpoch(rawValue: first.rawValue + step)
      #expect(try await tpm.epoch.increment() == raised)
      #expect(try await tpm.epoch.value() == raised)
    }
  }

  @Test func `the first removal raises an epoch that was never read`() async throws {
    let tpm = try SoftwareTPM()
    let raised = try await tpm.epoch.increment()
    #expect(try await tpm.epoch.value() == raised)
    #expect(raised.rawValue >= 2)
  }

  @Test func `each user has an epoch of its own`() async throws {
    let tpm = try SoftwareTPM()
    let other = TPMLockEpoch(TPMSettings(transport: tpm.transport, user: 1001, limit: .seconds(3600)))
    let before = try await other.value()
    _ = try await tpm.epoch.increment()
    #expect(try await other.value() == before)
  }

  @Test(arguments: ProtectedKeyKind.allCases)
  func `a removal invalidates every key for ever, also in a copy of the directory`(_ kind: ProtectedKeyKind)
    async throws
  {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(kind)
    let copy = try tpm.keyFiles().map { ($0, try Data(contentsOf: URL(filePath: $0))) }
    let before = try await tpm.epoch.value()
    let after = try await tpm.epoch.increment()
    let reason = KeyInvalidation.lockRemoved(keyEpoch: before, presentEpoch: after)
    #expect(try await keys.access(key) == .invalidated(reason))
    #expect(await keys.error(of: key, kind) == .authenticationKeyInvalidated(reason))
    for (path, data) in copy { try data.write(to: URL(filePath: path)) }
    #expect(try await keys.access(key) == .invalidated(reason))
    #expect(try await keys.access(keys.create(kind)) == .usable)
    #expect(try await keys.access(key) == .invalidated(reason))
  }

  @Test func `a key without its epoch index is gone, and a new index has a later epoch`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing)
    let before = try await tpm.epoch.value()
    try tpm.tool("tpm2_nvundefine", "-C", "o", Self.index)
    #expect(try await keys.access(key) == .invalidated(.keyGone))
    let after = try await tpm.epoch.value()
    #expect(after > before)
    #expect(try await keys.access(key) == .invalidated(.lockRemoved(keyEpoch: before, presentEpoch: after)))
  }

  @Test func `an index that is no counter is refused, and a key of the counter rejects it`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing)
    let epoch = try await tpm.epoch.value()
    try tpm.tool("tpm2_nvundefine", "-C", "o", Self.index)
    try tpm.tool(
      "tpm2_nvdefine", "-C", "o", Self.index, "-s", "8", "-a", "ownerread|ownerwrite|authread|authwrite|no_da")
    let scratch = try Scratch()
    try Data(epoch.rawValue.bigEndianOctets).write(to: URL(filePath: scratch.path("old")))
    try tpm.tool("tpm2_nvwrite", "-C", "o", "-i", scratch.path("old"), Self.index)
    #expect(try await keys.access(key) == .invalidated(.refused(code: 0x99D)))
    for error in [
      await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing) },
      await thrown { () throws(DeviceAuthenticationError) in try await tpm.epoch.value() },
      await thrown { () throws(DeviceAuthenticationError) in try await tpm.epoch.increment() },
    ] {
      #expect(error?.kind == "unavailable" && "\(error, default: "")".contains("no counter of the lock"))
    }
  }

  @Test func `a counter that was defined and never written is completed`() async throws {
    let tpm = try SoftwareTPM()
    try tpm.tool(
      "tpm2_nvdefine", "-C", "o", Self.index, "-a", "ownerread|ownerwrite|authread|authwrite|nt=counter|no_da")
    let first = try await tpm.epoch.value()
    #expect(try await tpm.epoch.value() == first)
    #expect(try await tpm.store().access(tpm.store().create(.sealing)) == .usable)
  }
}

import DeviceAuthentication
import Foundation
import Octets
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("The files of keys", .blocks, .timeLimit(.minutes(20)))
struct KeyFileTests {
  private static let foreign = DeviceAuthenticationError.unavailable(
    reason: "another device created this key; use that device")

  @Test func `a deleted key stays deleted although a copy of its file returns`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    for kind in ProtectedKeyKind.allCases {
      let key = try await keys.create(kind, counting: true)
      let path = try #require(try tpm.keyFiles().first)
      let copy = try Data(contentsOf: URL(filePath: path))
      try await keys.delete(key)
      try copy.write(to: URL(filePath: path))
      #expect(try await keys.access(key) == .invalidated(.keyGone))
      // The next key gets the same index, with another name.
      let next = try await keys.create(kind, counting: true)
      #expect(try await keys.access(key) == .invalidated(.refused(code: 0x99D)))
      #expect(
        await thrown { () throws(DeviceAuthenticationError) in try await keys.advanceCounter(of: key) }
          == .authenticationKeyInvalidated(.keyGone))
      try await keys.delete(key)
      #expect(try await keys.access(next) == .usable)
      #expect(try await keys.counter(of: next) != nil)
      try await keys.delete(next)
    }
  }

  @Test func `the key of another device is refused and not missing, so that a copied wallet is not wiped`() async throws
  {
    let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
    let keys = tpm.store()
    let foreign = try await other.store().create(.sealing, counting: true)
    // Before and after the first key of this device.
    await #expect(throws: Self.foreign) { try await keys.access(foreign) }
    let own = try await keys.create(.sealing, counting: true)
    await #expect(throws: Self.foreign) { try await keys.access(foreign) }
    #expect(await keys.error(of: foreign, .sealing) == Self.foreign)
    try await keys.delete(own)
    #expect(try await keys.access(own) == .missing)
  }

  @Test(arguments: ProtectedKeyKind.allCases)
  func `keys of another TPM are not gone, and work again with the TPM that has them`(_ kind: ProtectedKeyKind)
    async throws
  {
    let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
    let key = try await tpm.store().create(kind, counting: true)
    let moved = TPMKeyStore(
      settings: other.settings(), directory: tpm.keyDirectory, lock: FixedLock(isLocked: true))
    let invalid = DeviceAuthenticationError.authenticationKeyInvalidated(.otherDevice)
    #expect(try await moved.access(key) == .invalidated(.otherDevice))
    #expect(await moved.error(of: key, kind) == invalid)
    #expect(await thrown { () throws(DeviceAuthenticationError) in try await moved.counter(of: key) } == invalid)
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await moved.create(kind) }?.kind == "unavailable")
    #expect(try await tpm.store().access(key) == .usable)
  }

  @Test func `a damaged identity makes no key and loses none`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    let identity = URL(filePath: try #require(try tpm.keyFiles().first)).deletingLastPathComponent()
      .appending(path: "identity")
    let whole = try Data(contentsOf: identity)
    for damaged in [Data(), whole.dropLast(), whole + [0]] {
      try damaged.write(to: identity)
      await #expect(throws: DeviceAuthenticationError.self) { try await keys.create(.sealing, counting: true) }
      #expect(try await keys.access(key) == .usable)
    }
    try whole.write(to: identity)
    #expect(try await keys.access(keys.create(.sealing, counting: true)) == .usable)
  }

  @Test func `a copy of the directory has the counters of the TPM, not those of its time`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    let path = try #require(try tpm.keyFiles().first)
    let copy = try Data(contentsOf: URL(filePath: path))
    let raised = try await keys.advanceCounter(of: key)
    try copy.write(to: URL(filePath: path))
    #expect(try await keys.counter(of: key) == raised)
  }

  @Test func `a truncated file is a key that is gone, at every length`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    let path = try #require(try tpm.keyFiles().first)
    let whole = try Data(contentsOf: URL(filePath: path))
    #expect(TPMKeyFile(Array(whole)) != nil)
    for length in 0..<whole.count { #expect(TPMKeyFile(Array(whole.prefix(length))) == nil, "\(length)") }
    #expect(TPMKeyFile(Array(whole) + [0]) == nil)
    for length in [0, 1, whole.count / 2, whole.count - 1] {
      try whole.prefix(length).write(to: URL(filePath: path))
      #expect(try await keys.access(key) == .invalidated(.keyGone))
      #expect(await keys.error(of: key, .sealing) == .authenticationKeyInvalidated(.keyGone))
    }
    try Data(count: 1 << 20).write(to: URL(filePath: path))
    #expect(try await keys.access(key) == .invalidated(.keyGone))
    try await keys.delete(key)
    #expect(try await keys.access(key) == .missing)
  }

  @Test(arguments: ProtectedKeyKind.allCases)
  func `no file with a changed byte is usable, and the TPM keeps nothing of it`(_ kind: ProtectedKeyKind) async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(kind, counting: true)
    let path = try #require(try tpm.keyFiles().first)
    let whole = try Data(contentsOf: URL(filePath: path))
    // The name of the counter is used by the counter only, not by the key.
    let nameRange = 25..<(27 + 36)
    for position in stride(from: 0, to: whole.count, by: 3) where !nameRange.contains(position) {
      var changed = whole
      changed[position] ^= 0x01
      try changed.write(to: URL(filePath: path))
      guard case .invalidated = try await keys.access(key) else {
        Issue.record("octet \(position)")
        continue
      }
    }
    try whole.write(to: URL(filePath: path))
    #expect(try await keys.access(key) == .usable)
    #expect(try tpm.leftHandles().isEmpty)
  }

  @Test func `the files and their directory are open to their user only`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    let manager = FileManager.default
    for path in try tpm.keyFiles() {
      #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
    #expect(try manager.attributesOfItem(atPath: tpm.keyDirectory)[.posixPermissions] as? Int == 0o700)
    for mode in [0o750, 0o701, 0o777] {
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: tpm.keyDirectory)
      let error = await thrown { () throws(DeviceAuthenticationError) in try await keys.access(key) }
      #expect("\(error, default: "")".contains("chmod 700"), "mode \(String(mode, radix: 8))")
    }
  }

  @Test func `a directory that cannot be made is unavailable, and no counter is left`() async throws {
    let tpm = try SoftwareTPM()
    for path in ["/proc/keys-of-tap", "/nonexistent/directory", "/dev/null", ""] {
      let keys = TPMKeyStore(settings: tpm.settings(), directory: path, lock: FixedLock(isLocked: true))
      #expect(
        await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing, counting: true) }?.kind
          == "unavailable")
    }
    #expect(try tpm.tool("tpm2_getcap", "handles-nv-index").split(separator: "\n").count == 1)
  }

  @Test func `a key that cannot be written leaves no counter`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    try await keys.delete(key)
    let before = try tpm.tool("tpm2_getcap", "handles-nv-index")
    try FileManager.default.createDirectory(atPath: "\(tpm.keyDirectory)/draft", withIntermediateDirectories: false)
    let error = await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.sealing, counting: true) }
    #expect(error?.kind == "unavailable")
    #expect(try tpm.tool("tpm2_getcap", "handles-nv-index") == before)
  }

  @Test(arguments: ProtectedKeyKind.allCases)
  func `the TPM rejects a key without a session of its policy`(_ kind: ProtectedKeyKind) async throws {
    let tpm = try SoftwareTPM()
    _ = try await tpm.store().create(kind, counting: true)
    let path = try #require(try tpm.keyFiles().first)
    let file = try #require(TPMKeyFile(Array(try Data(contentsOf: URL(filePath: path)))))
    let connection = try TPMConnection(tpm.settings(), CallWatch(SystemClock()))
    let emptyValue: UInt32 = 0xFF
    let error = #expect(throws: TPMError.self) {
      try connection.withPrimary { (primary) throws(TPMError) in
        let blob = TPMBlob(publicArea: file.publicArea, privateArea: file.privateArea)
        try connection.withKey(blob, below: primary) { (key) throws(TPMError) in
          switch kind {
          case .sealing: _ = try connection.unseal(key, in: emptyValue, count: 32)
          case .signing: _ = try connection.sign([UInt8](repeating: 7, count: 32), with: key, in: emptyValue)
          }
        }
      }
    }
    // TPM_RC_AUTH_UNAVAILABLE
    #expect(error?.code.rawValue == 0x12F)
  }

  @Test func `an identifier never leaves the directory`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    for text in ["../../etc/passwd", "/", "lock", "..", "identity"] {
      let key = try #require(KeyIdentifier(Array(text.utf8)))
      await #expect(throws: Self.foreign) { try await keys.access(key) }
      try await keys.delete(key)
    }
  }
}

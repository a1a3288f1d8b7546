import DeviceAuthentication
import Foundation
import LinuxDevice
import Octets
import TestSupport
import Testing

@Suite("Keys in a TPM", .blocks, .timeLimit(.minutes(20)))
struct TPMKeyStoreTests {
  @Test func `a sealing key always yields its own 32 bytes`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let (one, other) = (
      try await keys.create(.sealing, counting: true), try await keys.create(.sealing, counting: true)
    )
    let octets = try await keys.octets(of: one)
    #expect(octets.count == 32 && octets != [UInt8](repeating: 0, count: 32))
    #expect(try await tpm.store().octets(of: one) == octets)
    #expect(try await keys.octets(of: other) != octets)
  }

  @Test func `a signature verifies with openssl`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.signing, counting: true)
    let point = try await keys.publicKey(of: key)
    for _ in 0..<3 {
      let digest = SystemRandomSource().octets(32)
      let signature = try await keys.sign(digest, with: key)
      #expect(try OpenSSL.verifies(signature, of: digest, point: point))
      #expect(try !OpenSSL.verifies(signature, of: digest.reversed(), point: point))
    }
  }

  @Test(arguments: ProtectedKeyKind.allCases)
  func `a key works from its creation to its deletion`(_ kind: ProtectedKeyKind) async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(kind, counting: true)
    #expect(try await keys.access(key) == .usable)
    try await keys.delete(key)
    #expect(try await keys.access(key) == .missing)
    #expect(await keys.error(of: key, kind) == .authenticationKeyMissing)
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await keys.counter(of: key) }
        == .authenticationKeyMissing)
    try await keys.delete(key)
    #expect(try tpm.keyFiles().isEmpty)
    #expect(try tpm.tool("tpm2_getcap", "handles-nv-index").split(separator: "\n").count == 1)
  }

  @Test func `no key and no counter is created without a lock`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store(lock: FixedLock(isLocked: false))
    for kind in ProtectedKeyKind.allCases {
      #expect(
        await thrown { () throws(DeviceAuthenticationError) in try await keys.create(kind, counting: true) }
          == .passcodeNotSet)
    }
    #expect(try tpm.tool("tpm2_getcap", "handles-nv-index").split(separator: "\n").count == 1)
  }

  @Test func `a key is used only for its kind and only with a digest of 32 bytes`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let (sealing, signing) = (
      try await keys.create(.sealing, counting: true), try await keys.create(.signing, counting: true)
    )
    #expect(await keys.error(of: sealing, .signing)?.kind == "unavailable")
    #expect(await keys.error(of: signing, .sealing)?.kind == "unavailable")
    #expect(
      await thrown { () throws(DeviceAuthenticationError) in try await keys.publicKey(of: sealing) }?.kind
        == "unavailable")
    for count in [0, 31, 33, 100_000] {
      let digest = [UInt8](repeating: 7, count: count)
      #expect(
        await thrown { () throws(DeviceAuthenticationError) in try await keys.sign(digest, with: signing) }?.kind
          == "unavailable")
    }
  }

  @Test func `the counter of a key only rises, and another key has its own`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let (one, other) = (
      try await keys.create(.sealing, counting: true), try await keys.create(.signing, counting: true)
    )
    let start = try #require(try await keys.counter(of: one))
    let untouched = try await keys.counter(of: other)
    for step in 1...3 as ClosedRange<UInt64> {
      #expect(try await keys.advanceCounter(of: one) == start + step)
      #expect(try await keys.counter(of: one) == start + step)
    }
    #expect(try await keys.counter(of: other) == untouched)
    #expect(try await keys.access(one) == .usable)
  }

  @Test func `a counter that another program has raised is higher than the value that the store keeps`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing, counting: true)
    let start = try #require(try await keys.counter(of: key))
    #expect(try await keys.list().map(\.count) == [start])
    #expect(try await keys.advanceCounter(of: key) == start + 1)
    #expect(try await keys.list().map(\.count) == [start + 1])
    let handles = try tpm.tool("tpm2_getcap", "handles-nv-index").split(whereSeparator: \.isWhitespace)
    let index = try #require(handles.first { $0.lowercased().hasPrefix("0x1b0000") }.map(String.init), "\(handles)")
    _ = try tpm.tool("tpm2_nvincrement", "-C", index, index)
    #expect(try await keys.counter(of: key) == start + 2)
    #expect(try await keys.list().map(\.count) == [start + 1])
    try await keys.delete(key)
    #expect(try tpm.keyFiles().isEmpty)
  }

  @Test func `uses of one store at the same time wait for each other`() async throws {
    let tpm = try SoftwareTPM()
    let key = try await tpm.store().create(.sealing, counting: true)
    let store = tpm.store()
    let octets = try await store.octets(of: key)
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<12 { group.addTask { try await store.octets(of: key) } }
      for try await result in group { #expect(result == octets) }
    }
  }

  @Test func `200 uses, half of them rejected, leave nothing in the TPM`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let (sealing, signing) = (
      try await keys.create(.sealing, counting: true), try await keys.create(.signing, counting: true)
    )
    let lost = try await keys.create(.signing, counting: true)
    _ = try await tpm.epoch.increment()
    let fresh = try await keys.create(.sealing, counting: true)
    for _ in 0..<40 {
      #expect(try await keys.access(fresh) == .usable)
      #expect(try await keys.octets(of: fresh).count == 32)
      for (key, kind) in [(sealing, ProtectedKeyKind.sealing), (signing, .signing), (lost, .signing)] {
        #expect(await keys.error(of: key, kind)?.kind == "authenticationKeyInvalidated")
      }
    }
    #expect(try tpm.leftHandles().isEmpty)
  }

  @Test func `a user has at most 16 keys with a counter, and a deleted one makes room`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    var counting: [KeyIdentifier] = []
    for _ in 0..<16 { counting.append(try await keys.create(.sealing, counting: true)) }
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await keys.create(.sealing, counting: true)
    }
    let text = "\(error, default: "")"
    #expect(text.contains("16 keys with a counter") && text.contains("--without-rollback-protection"), "\(text)")
    let other = try await keys.create(.sealing, counting: false)
    #expect(try await keys.counter(of: other) == nil)
    #expect(try await keys.list().count(where: \.isCounting) == 16)
    try await keys.delete(counting[3])
    #expect(try await keys.counter(of: keys.create(.signing, counting: true)) != nil)
  }

  @Test func `a user has at most 256 keys`() async throws {
    let tpm = try SoftwareTPM()
    let keys = tpm.store()
    let key = try await keys.create(.sealing)
    let file = try Data(contentsOf: URL(filePath: try #require(tpm.keyFiles().first)))
    // Further keys are copies of its file: the limit counts files.
    for number in 0..<255 {
      try file.write(to: URL(filePath: tpm.keyDirectory + "/" + String(format: "%032x.key", number)))
    }
    let error = await thrown { () throws(DeviceAuthenticationError) in try await keys.create(.signing) }
    #expect("\(error, default: "")".contains("this user has 256 keys, and the limit is 256"))
    try await keys.delete(key)
    #expect(try await keys.access(keys.create(.signing)) == .usable)
  }
}

/// Signatures checked by openssl.
enum OpenSSL {
  static func verifies(_ signature: [UInt8], of digest: [UInt8], point: [UInt8]) throws -> Bool {
    // SubjectPublicKeyInfo of P-256 (RFC 5480) before the point.
    let head = try [UInt8](hex: "3059301306072A8648CE3D020106082A8648CE3D030107034200")
    let scratch = try Scratch()
    for (name, octets) in [("key", head + point), ("signature", sequence(signature)), ("digest", digest)] {
      try Data(octets).write(to: URL(filePath: scratch.path(name)))
    }
    let run = try ProgramRun(
      "openssl",
      [
        "pkeyutl", "-verify", "-pubin", "-inkey", scratch.path("key"), "-keyform", "DER", "-sigfile",
        scratch.path("signature"), "-in", scratch.path("digest"),
      ])
    return try run.finish() == .exited(0)
  }

  /// r and s as a sequence of two integers in DER.
  private static func sequence(_ signature: [UInt8]) -> [UInt8] {
    let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { number -> [UInt8] in
      let digits = Array(number.drop { $0 == 0 })
      let positive = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
      return [0x02, UInt8(positive.count)] + positive
    }
    return [0x30, UInt8(numbers.count)] + numbers
  }
}

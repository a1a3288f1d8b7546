public import DeviceAuthentication
public import Octets
internal import Testing

extension PortContract {
  static let keys = validity + use + readings + notes

  private static let notes = [
    PortContract(
      "a note is kept when the lock is removed and its keys are deleted, and replaced by the one that has read it"
    ) {
      device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      #expect(try await keys.note(named: "identity-1") == nil)
      #expect(try await keys.keep([1], named: "identity-1", replacing: nil) == [1])
      #expect(try await keys.keep([2], named: "identity-1", replacing: nil) == [1])
      let key = try await keys.create(.sealing)
      try await device.apply(.disableLockScreen)
      try await keys.delete(key)
      #expect(try await keys.note(named: "identity-1") == [1])
      let long = [UInt8](repeating: 0xFF, count: DeviceNote.maximumCount)
      #expect(try await keys.keep(long, named: "identity-1", replacing: [1]) == long)
      #expect(try await keys.keep([3], named: "identity-1", replacing: long) == [3])
      #expect(try await keys.note(named: "identity-2") == nil)
    },
    PortContract("a note of another name or count than allowed is refused") { device in
      let keys = device.ports.keys
      for name in ["", "A", "../x", "a/b", "a.note", String(repeating: "a", count: 65)] {
        await #expect(throws: DeviceAuthenticationError.self) { _ = try await keys.note(named: name) }
        await #expect(throws: DeviceAuthenticationError.self) {
          _ = try await keys.keep([1], named: name, replacing: nil)
        }
      }
      for count in [0, DeviceNote.maximumCount + 1] {
        let note = [UInt8](repeating: 0, count: count)
        await #expect(throws: DeviceAuthenticationError.self) {
          _ = try await keys.keep(note, named: "a", replacing: nil)
        }
      }
    },
  ]

  private static let validity = [
    PortContract("no key is created without a lock") { device in
      for kind in ProtectedKeyKind.allCases {
        let error = await thrown { () throws(DeviceAuthenticationError) in try await device.ports.keys.create(kind) }
        #expect(error == .passcodeNotSet)
      }
    },
    PortContract("a key works from its creation to its deletion") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      for kind in ProtectedKeyKind.allCases {
        let key = try await keys.create(kind)
        #expect(try await keys.access(key) == .usable)
        try await keys.delete(key)
        #expect(try await keys.access(key) == .missing)
        #expect(await useError(of: key, kind, in: keys) == .authenticationKeyMissing)
        try await keys.delete(key)
      }
    },
    PortContract("a key stays valid when the passcode or the enrolments change") { device in
      try await device.apply(.setPasscode)
      let key = try await device.ports.keys.create(.sealing)
      for change in [DeviceChange.changePasscode, .enrolBiometric, .enrolBiometric, .removeAllBiometrics] {
        try await device.apply(change)
        #expect(try await device.ports.keys.access(key) == .usable, "\(change)")
      }
    },
    PortContract("a removed lock makes every key permanently invalid, and a new key is valid") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      for kind in ProtectedKeyKind.allCases {
        let key = try await keys.create(kind)
        try await device.apply(.disableLockScreen)
        try await expectInvalid(key, kind, in: keys)
        try await device.apply(.setPasscode)
        try await expectInvalid(key, kind, in: keys)
        #expect(try await keys.access(keys.create(kind)) == .usable)
      }
    },
    PortContract("a key of another device is missing, or refused by a device that recognises it") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let foreign = try #require(KeyIdentifier([UInt8](repeating: 0xA5, count: 64)))
      let refusal = await useError(of: foreign, .sealing, in: keys)
      if let refusal, case .unavailable = refusal {
        await #expect(throws: refusal) { try await keys.access(foreign) }
      } else {
        #expect(refusal == .authenticationKeyMissing)
        #expect(try await keys.access(foreign) == .missing)
      }
    },
  ]

  private static let use = [
    PortContract("a sealing key always yields its own 32 bytes") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let (one, other) = (try await keys.create(.sealing), try await keys.create(.sealing))
      #expect(one != other)
      let octets = try await octets(of: one, in: keys)
      #expect(octets.count == 32)
      #expect(try await Self.octets(of: one, in: keys) == octets)
      #expect(try await Self.octets(of: other, in: keys) != octets)
    },
    PortContract("a signing key has a public key and signs digests of 32 bytes") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let key = try await keys.create(.signing)
      let point = try await keys.publicKey(of: key)
      #expect(point.count == 65 && point.first == 0x04)
      #expect(try await keys.sign([UInt8](repeating: 7, count: 32), with: key).count == 64)
      for count in [0, 31, 33] {
        let error = await thrown { () throws(DeviceAuthenticationError) in
          try await keys.sign([UInt8](repeating: 7, count: count), with: key)
        }
        #expect(error?.kind == "unavailable", "\(count)")
      }
    },
    PortContract("a key is used only for its kind") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let (sealing, signing) = (try await keys.create(.sealing), try await keys.create(.signing))
      #expect(await useError(of: sealing, .signing, in: keys)?.kind == "unavailable")
      #expect(await useError(of: signing, .sealing, in: keys)?.kind == "unavailable")
    },
    PortContract("the counter of a key only rises, and another key has its own") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let (one, other) = (
        try await keys.create(.sealing, counting: true), try await keys.create(.sealing, counting: true)
      )
      #expect(try await keys.counter(of: keys.create(.sealing, counting: false)) == nil)
      guard let start = try await keys.counter(of: one) else { return }
      let untouched = try await keys.counter(of: other)
      for step in 1...3 as ClosedRange<UInt64> {
        #expect(try await keys.advanceCounter(of: one) == start + step)
        #expect(try await keys.counter(of: one) == start + step)
        // A second process that has read the same value raises nothing.
        #expect(try await keys.advanceCounter(of: one, from: start + step - 1) == .differed(present: start + step))
      }
      #expect(try await keys.counter(of: other) == untouched)
    },
    PortContract("of several calls that raise a counter from one value, exactly one raises it") { device in
      try await device.apply(.setPasscode)
      let keys = device.ports.keys
      let key = try await keys.create(.sealing)
      guard let start = try await keys.counter(of: key) else { return }
      for value in start..<start + 3 {
        let steps = try await withThrowingTaskGroup(of: CounterStep?.self) { group in
          for _ in 1...4 { group.addTask { try await keys.advanceCounter(of: key, from: value) } }
          return try await group.reduce(into: [CounterStep?]()) { $0.append($1) }
        }
        #expect(steps.count { $0 == .raised } == 1)
        #expect(steps.count { $0 == .differed(present: value + 1) } == 3)
      }
    },
  ]

  private static let readings = [
    PortContract("a reading finds that the lock was removed, also when it is set again") { device in
      try await device.apply(.setPasscode)
      let (keys, monitor) = (device.ports.keys, device.ports.monitor)
      let key = try await keys.create(.sealing)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .usable)
      try await device.apply(.changePasscode)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .usable)
      try await device.apply(.disableLockScreen)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .keyLost)
      try await device.apply(.setPasscode)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .keyLost)
    },
    PortContract("a reading finds that the key was deleted, and not another key") { device in
      try await device.apply(.setPasscode)
      let (keys, monitor) = (device.ports.keys, device.ports.monitor)
      let (key, other) = (try await keys.create(.sealing), try await keys.create(.sealing))
      #expect(try monitor.status(of: key, needsEnrolment: false) == .usable)
      try await keys.delete(other)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .usable)
      try await keys.delete(key)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .keyLost)
    },
  ]

  private static func octets(of key: KeyIdentifier, in keys: any ProtectedKeyStore) async throws -> [UInt8] {
    try await keys.unseal(key).withExposedOctets { octets in octets.indices.map { octets[$0] } }
  }

  private static func expectInvalid(
    _ key: KeyIdentifier, _ kind: ProtectedKeyKind, in keys: any ProtectedKeyStore
  ) async throws {
    guard case .invalidated = try await keys.access(key) else {
      Issue.record("the \(kind) key is not invalid")
      return
    }
    #expect(await useError(of: key, kind, in: keys)?.kind == "authenticationKeyInvalidated")
  }

  /// Uses a key as one of a kind and returns the error.
  private static func useError(
    of key: KeyIdentifier, _ kind: ProtectedKeyKind, in keys: any ProtectedKeyStore
  ) async -> DeviceAuthenticationError? {
    await thrown { () throws(DeviceAuthenticationError) in
      switch kind {
      case .sealing: _ = try await keys.unseal(key)
      case .signing: _ = try await keys.sign([UInt8](repeating: 7, count: 32), with: key)
      }
    }
  }
}

/// Signatures that only have the right lengths.
public struct ToySigning: SoftwareSigning {
  /// Creates it.
  public init() {}

  /// Returns 32 fixed bytes.
  public func generate() throws(DeviceAuthenticationError) -> Secret {
    Secret(copying: [UInt8](repeating: 1, count: 32))
  }

  /// Returns 65 bytes that are no point.
  public func publicKey(of privateKey: borrowing Secret) throws(DeviceAuthenticationError) -> [UInt8] {
    [0x04] + [UInt8](repeating: 0x55, count: 64)
  }

  /// Returns the digest twice.
  public func sign(_ digest: [UInt8], with privateKey: borrowing Secret) throws(DeviceAuthenticationError) -> [UInt8] {
    digest + digest
  }
}

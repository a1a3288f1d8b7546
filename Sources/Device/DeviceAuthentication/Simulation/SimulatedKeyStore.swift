internal import Octets

/// The keys of a simulated device, in its memory.
struct SimulatedKeyStore: ProtectedKeyStore {
  let device: SimulatedPorts

  func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try checkStore()
    let isLocked = try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.passcode != nil
    }
    guard isLocked else { throw .passcodeNotSet }
    let material = SharedSecret(try newOctets(kind))
    return try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
      guard memory.passcode != nil, let name = KeyIdentifier(memory.identity + memory.nextKey.bigEndianOctets) else {
        throw .passcodeNotSet
      }
      memory.nextKey += 1
      memory.keys[name] = SimulatedKey(
        kind: kind, epoch: LockEpoch(rawValue: memory.epoch), material: material,
        counter: counting ? 0 : nil)
      return name
    }
  }

  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    try checkStore()
    device.run.countKeyAccess()
    return try await device.storage.read { (memory) throws(DeviceAuthenticationError) in try memory.access(key) }
  }

  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    try await usable(key, .sealing).material.octets.duplicate()
  }

  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try signing().publicKey(of: await usable(key, .signing).material.octets)
  }

  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    guard digest.count == 32 else { throw .unavailable(reason: "a digest has 32 bytes, not \(digest.count)") }
    return try signing().sign(digest, with: await usable(key, .signing).material.octets)
  }

  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    try checkStore()
    try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
      _ = memory.keys.removeValue(forKey: key)
    }
  }

  func list() async throws(DeviceAuthenticationError) -> [ListedKey] {
    try checkStore()
    return try await device.storage.read { (memory) throws(DeviceAuthenticationError) in
      memory.keys.map { ListedKey(identifier: $0, kind: $1.kind, isCounting: $1.counter != nil) }
        .sorted { $0.identifier.octets.lexicographicallyPrecedes($1.identifier.octets) }
    }
  }

  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try checkStore()
    return try await device.storage.read { (memory) throws(DeviceAuthenticationError) in
      guard let stored = memory.keys[key] else { throw .authenticationKeyMissing }
      return stored.counter
    }
  }

  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try checkStore()
    return try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
      guard var stored = memory.keys[key] else { throw .authenticationKeyMissing }
      guard let present = stored.counter else { return nil }
      guard present == value else { return .differed(present: present) }
      stored.counter = value + 1
      memory.keys[key] = stored
      return .raised
    }
  }

  func note(named name: String) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try checkStore()
    try DeviceNote.check(name)
    return try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.notes[name] }
  }

  func keep(
    _ note: [UInt8], named name: String, replacing former: [UInt8]?
  ) async throws(DeviceAuthenticationError) -> [UInt8]? {
    try checkStore()
    try DeviceNote.check(name, note)
    return try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
      guard memory.notes[name] == former else { return memory.notes[name] }
      memory.notes[name] = note
      return note
    }
  }

  private func checkStore() throws(DeviceAuthenticationError) {
    if let error = device.run.keyStoreError { throw error }
  }

  private func newOctets(_ kind: ProtectedKeyKind) throws(DeviceAuthenticationError) -> Secret {
    switch kind {
    case .sealing:
      var octets = device.random.octets(32)
      return Secret(wiping: &octets)
    case .signing: return try signing().generate()
    }
  }

  private func signing() throws(DeviceAuthenticationError) -> any SoftwareSigning {
    guard let signing = device.signing else {
      throw .unavailable(reason: "this simulated device has no signing keys: create it with a SoftwareSigning")
    }
    return signing
  }

  private func usable(
    _ key: KeyIdentifier, _ kind: ProtectedKeyKind
  ) async throws(DeviceAuthenticationError) -> SimulatedKey {
    switch try await access(key) {
    case .usable: break
    case .missing: throw .authenticationKeyMissing
    case .invalidated(let reason): throw .authenticationKeyInvalidated(reason)
    }
    let present = try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.keys[key] }
    guard let stored = present else { throw .authenticationKeyMissing }
    guard stored.kind == kind else {
      throw .unavailable(reason: "the key is a \(stored.kind) key, and a \(kind) key is needed")
    }
    return stored
  }
}

internal import Octets
internal import Synchronization

/// A key of a simulated device.
struct SimulatedKey: Sendable {
  let kind: ProtectedKeyKind
  /// The lock epoch of its creation.
  let epoch: LockEpoch
  let material: KeyMaterial
  var counter: UInt64 = 0
}

/// The octets of a key: a class, since a dictionary cannot hold a secret itself.
final class KeyMaterial: Sendable {
  let octets: Secret

  init(_ octets: consuming Secret) {
    self.octets = octets
  }
}

/// The keys of a simulated device, in the memory of this process.
struct SimulatedKeyStore: ProtectedKeyStore {
  let device: SimulatedDevice

  func create(_ kind: ProtectedKeyKind) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try checkStore()
    guard device.isPasscodeSet else { throw .passcodeNotSet }
    let material = KeyMaterial(try newOctets(kind))
    let suffix = device.random.octets(8)
    let identifier = device.state.withLock { state -> KeyIdentifier? in
      guard state.passcode != nil, let name = KeyIdentifier(state.nextKey.bigEndianOctets + suffix) else { return nil }
      state.nextKey += 1
      state.keys[name] = SimulatedKey(kind: kind, epoch: LockEpoch(rawValue: state.epoch), material: material)
      return name
    }
    guard let identifier else { throw .passcodeNotSet }
    return identifier
  }

  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    try checkStore()
    return device.state.withLock { state in
      state.keyAccesses += 1
      guard let stored = state.keys[key] else { return .missing }
      let present = LockEpoch(rawValue: state.epoch)
      guard stored.epoch == present else {
        return .invalidated(.lockRemoved(keyEpoch: stored.epoch, presentEpoch: present))
      }
      return .usable
    }
  }

  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    try await usable(key, .sealing).material.octets.duplicate()
  }

  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try signing().publicKey(of: await usable(key, .signing).material.octets)
  }

  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    guard digest.count == 32 else { throw .unavailable(reason: "a digest has 32 octets, not \(digest.count)") }
    return try signing().sign(digest, with: await usable(key, .signing).material.octets)
  }

  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    try checkStore()
    device.state.withLock { _ = $0.keys.removeValue(forKey: key) }
  }

  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try checkStore()
    let counter = device.state.withLock { $0.keys[key]?.counter }
    guard let counter else { throw .authenticationKeyMissing }
    return counter
  }

  func advanceCounter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try checkStore()
    let counter = device.state.withLock { state in
      state.keys[key]?.counter += 1
      return state.keys[key]?.counter
    }
    guard let counter else { throw .authenticationKeyMissing }
    return counter
  }

  private func checkStore() throws(DeviceAuthenticationError) {
    if let error = device.keyStoreError { throw error }
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
    guard let stored = device.state.withLock({ $0.keys[key] }) else { throw .authenticationKeyMissing }
    guard stored.kind == kind else {
      throw .unavailable(reason: "the key is a \(stored.kind) key, and a \(kind) key is needed")
    }
    return stored
  }
}

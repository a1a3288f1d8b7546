import ContactlessPayment
import DeviceAuthentication
import Octets
import Synchronization
import WalletDatabase

extension DevicePorts {
  /// The same ports with other keys.
  func replacing(keys: any ProtectedKeyStore) -> DevicePorts {
    DevicePorts(biometric: biometric, passcode: passcode, lock: lock, keys: keys)
  }
}

extension SQLiteWalletStore {
  /// Unlocks the store with the key of a device.
  func opened(by device: SimulatedDevice) async throws -> SQLiteWalletStore {
    if let binding = try binding() {
      try unlock(with: try await device.ports.keys.unseal(binding.key.identifier))
    }
    return self
  }
}

/// Keys whose counter can fail or is missing.
final class FailingCounter: ProtectedKeyStore {
  let base: any ProtectedKeyStore
  let hasCounter: Bool
  /// Whether the next call fails to raise the counter.
  let fails = Atomic<Bool>(false)
  /// Whether the next call raises the counter and fails.
  let losesResult = Atomic<Bool>(false)
  /// Runs before the next step, once.
  let beforeStep = Mutex<(@Sendable () async -> Void)?>(nil)

  init(base: any ProtectedKeyStore, hasCounter: Bool = true) {
    (self.base, self.hasCounter) = (base, hasCounter)
  }

  func create(_ kind: ProtectedKeyKind, counting: Bool) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try await base.create(kind, counting: counting)
  }
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess { try await base.access(key) }
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret { try await base.unseal(key) }
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.publicKey(of: key)
  }
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.sign(digest, with: key)
  }
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    hasCounter ? try await base.counter(of: key) : nil
  }
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    if fails.load(ordering: .acquiring) { throw .busy("the counter is in use") }
    let other = beforeStep.withLock { action in
      defer { action = nil }
      return action
    }
    await other?()
    let step = hasCounter ? try await base.advanceCounter(of: key, from: value) : nil
    if losesResult.load(ordering: .acquiring) { throw .busy("the counter is in use") }
    return step
  }
}

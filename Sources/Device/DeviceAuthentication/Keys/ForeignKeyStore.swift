internal import Octets

extension DevicePorts {
  /// Returns the same ports, where a key that is in another TPM is unavailable and not invalid: its owner keeps its data,
  /// which work again with the TPM that has the key.
  package func keepingKeysOfOtherTPMs() -> DevicePorts {
    DevicePorts(biometric: biometric, passcode: passcode, lock: lock, keys: ForeignKeyStore(base: keys))
  }
}

/// The keys of a device, where a key that is in another TPM is unavailable.
private struct ForeignKeyStore: ProtectedKeyStore {
  let base: any ProtectedKeyStore

  private func checked<Value: ~Copyable>(
    _ body: () async throws(DeviceAuthenticationError) -> Value
  ) async throws(DeviceAuthenticationError) -> Value {
    do throws(DeviceAuthenticationError) {
      return try await body()
    } catch .authenticationKeyInvalidated(.otherDevice) { throw Self.otherDevice }
  }

  private static let otherDevice = DeviceAuthenticationError.unavailable(
    reason: "the key of this wallet is in another TPM than that of this machine: use the machine that has it")

  func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier { try await base.create(kind, counting: counting) }

  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    let access = try await base.access(key)
    guard access != .invalidated(.otherDevice) else { throw Self.otherDevice }
    return access
  }

  func waitForLoss(of key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.waitForLoss(of: key) }
  }

  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.unseal(key) }
  }

  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.publicKey(of: key) }
  }

  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.sign(digest, with: key) }
  }

  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }

  func list() async throws(DeviceAuthenticationError) -> [ListedKey] { try await base.list() }

  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try await checked { () async throws(DeviceAuthenticationError) in try await base.counter(of: key) }
  }

  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try await checked { () async throws(DeviceAuthenticationError) in
      try await base.advanceCounter(of: key, from: value)
    }
  }
}

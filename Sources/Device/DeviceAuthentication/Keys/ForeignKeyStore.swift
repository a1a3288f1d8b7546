extension DevicePorts {
  /// Returns the same ports, where a key that is in another TPM is unavailable and not invalid: its owner keeps its data,
  /// which work again with the TPM that has the key.
  package func keepingKeysOfOtherTPMs() -> DevicePorts {
    DevicePorts(
      biometric: biometric, passcode: passcode, lock: lock, keys: ForeignKeyStore(base: keys), monitor: monitor)
  }
}

/// The keys of a device, where a key that is in another TPM is unavailable.
private struct ForeignKeyStore: CheckedKeyStore {
  let base: any ProtectedKeyStore

  func checked<Value: ~Copyable>(
    _ use: () async throws(DeviceAuthenticationError) -> Value
  ) async throws(DeviceAuthenticationError) -> Value {
    do throws(DeviceAuthenticationError) {
      return try await use()
    } catch .authenticationKeyInvalidated(.otherDevice) { throw Self.otherDevice }
  }

  private static let otherDevice = DeviceAuthenticationError.unavailable(
    reason: "the key of this wallet is in another TPM than that of this machine: use the machine that has it")

  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    let access = try await base.access(key)
    guard access != .invalidated(.otherDevice) else { throw Self.otherDevice }
    return access
  }
}

public import DeviceAuthentication
internal import Octets

/// The life of a wallet's binding to a key of the device: created by the first `configure`, used by every later one,
/// removed with all local data.
extension Wallet {
  /// Initializes the wallet.
  ///
  /// On an empty store it creates a key on the device and stores the policy and the key. On a store that was set up
  /// before, also by another process, it uses the stored key. A second call on the same wallet with the same policy does
  /// nothing.
  ///
  /// - Parameters:
  ///   - policy: How the cardholder must be verified, for the life of the wallet.
  ///   - rollbackProtection: Whether a new wallet needs a counter of the device. Without one a restored copy of the store
  ///     is not noticed.
  /// - Throws: `WalletError.alreadyConfigured` for a store with another policy, which needs a `reset` before;
  ///   `.authenticationKeyInvalidated` when the key is invalid or the device has it no longer: all local data were
  ///   removed then, and the next call sets the wallet up again; `.storeRolledBack` for a store that was restored from an
  ///   older copy; `.store`, `.device` or `.busy`. All but `.authenticationKeyInvalidated` change nothing.
  public func configure(
    _ policy: CardholderVerificationPolicy, rollbackProtection: Bool = true
  ) async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    await deleteFormerKeys()
    if let present = verifier?.policy {
      guard present == policy else { throw .alreadyConfigured(present) }
    } else if let binding = try storedBinding() {
      try await resume(binding, under: policy)
    } else {
      try await setUp(policy, rollbackProtection)
    }
  }

  /// Initializes a wallet that was set up before, under the policy of its store. Never sets a wallet up.
  ///
  /// - Throws: `WalletError.notInitialized` for a store that was not set up, or that was reset;
  ///   `.authenticationKeyInvalidated` as `configure`, and for a store that was wiped for this reason before, until
  ///   `configure` sets it up again; `.storeRolledBack`, `.store`, `.device` or `.busy`.
  public func open() async throws(WalletError) {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    guard verifier == nil else { return }
    await deleteFormerKeys()
    guard let binding = try storedBinding() else {
      let isKeyLost = try stored { (store) throws(WalletStoreError) in try store.isKeyLost() }
      throw isKeyLost ? .authenticationKeyInvalidated(.keyGone) : .notInitialized
    }
    try await resume(binding, under: binding.policy)
  }

  /// Whether the wallet was initialized, and was not wiped since.
  public var isInitialized: Bool { verifier != nil }

  /// Whether the wallet's key has a counter, with which a restored copy of the store is noticed.
  ///
  /// - Throws: `notInitialized` or `.device`.
  public func hasRollbackProtection() async throws(WalletError) -> Bool {
    guard let key = try configured().key else { throw .notInitialized }
    return try await counter(of: key) != nil
  }

  /// Removes all local data: the device's key, cards and payment keys. Every later call throws `notInitialized` until
  /// `configure`, and a payment in progress ends with `sessionInvalidated`. A wallet that is not initialized can be
  /// reset too.
  ///
  /// The device's key is deleted first, so that cards that cannot be removed can never pay. A key that cannot be deleted now is
  /// deleted by the next `configure`, `open` or `reset` on the store.
  ///
  /// - Returns: What could not be done besides the removal of the cards.
  /// - Throws: `WalletError.busy`, and nothing has changed; `.store` when the cards could not be removed.
  @discardableResult
  public func reset() async throws(WalletError) -> [WithdrawalWarning] {
    try await wipe(isKeyLost: false)
  }

  /// Removes all local data. Sessions that were created before it do not start, and a payment in progress is revoked.
  ///
  /// - Parameter isKeyLost: Whether the device has lost the wallet's key.
  /// - Returns: What could not be done besides the removal of the cards.
  @discardableResult
  func wipe(isKeyLost: Bool) async throws(WalletError) -> [WithdrawalWarning] {
    guard !isChanging else { throw .busy }
    isChanging = true
    defer { isChanging = false }
    await deleteFormerKeys()
    return try await erase(isKeyLost: isKeyLost)
  }

  private func setUp(
    _ policy: CardholderVerificationPolicy, _ rollbackProtection: Bool
  ) async throws(WalletError) {
    let unbound = CardholderVerifier(policy: policy, ports: device, clock: clock)
    let key: ProtectedKeyRecord
    do throws(DeviceAuthenticationError) {
      key = try await unbound.enrolKey(counting: rollbackProtection)
    } catch { throw .device(error) }
    do throws(WalletError) {
      try await bind(to: key, under: policy)
      verifier = unbound.bound(to: key)
    } catch {
      try? await device.keys.delete(key.identifier)
      // Another process may have set the wallet up in the meantime.
      guard error == .store(.alreadyBound), let binding = try storedBinding() else { throw error }
      try await resume(binding, under: policy)
    }
  }

  private func bind(to key: ProtectedKeyRecord, under policy: CardholderVerificationPolicy) async throws(WalletError) {
    let dataKey = try await unsealed(key)
    let binding = WalletBinding(policy: policy, key: key, count: try await counter(of: key) ?? 0)
    try stored { (store) throws(WalletStoreError) in try store.bind(to: binding, dataKey: dataKey) }
  }

  private func resume(_ binding: WalletBinding, under policy: CardholderVerificationPolicy) async throws(WalletError) {
    guard binding.policy == policy else { throw .alreadyConfigured(binding.policy) }
    let dataKey: Secret
    do throws(WalletError) {
      dataKey = try await unsealed(binding.key)
    } catch .device(.authenticationKeyInvalidated(let reason)) {
      throw await eraseLocalData(after: reason)
    } catch .device(.authenticationKeyMissing) {
      // A wipe deletes the key before the cards, and may have been interrupted between both.
      throw await eraseLocalData(after: .keyGone)
    }
    do throws(WalletStoreError) {
      try store.unlock(with: dataKey)
    } catch { throw .store(error) }
    if store.isReadOnly {
      try await checkCount(of: binding)
    } else {
      let lock = try await lockCounting()
      defer { withExtendedLifetime(lock) {} }
      try await alignCounts(of: binding.key)
    }
    verifier = CardholderVerifier(policy: policy, ports: device, key: binding.key, clock: clock)
  }

  /// Uses the key of a binding.
  private func unsealed(_ key: ProtectedKeyRecord) async throws(WalletError) -> Secret {
    do throws(DeviceAuthenticationError) {
      return try await device.keys.unseal(key.identifier)
    } catch { throw .device(error) }
  }

  private func eraseLocalData(after reason: KeyInvalidation) async -> WalletError {
    do throws(WalletError) {
      try await erase(isKeyLost: true)
    } catch {
      if case .store(let failure) = error { return .authenticationKeyInvalidated(reason, wipeFailure: failure) }
    }
    return .authenticationKeyInvalidated(reason)
  }

  @discardableResult
  private func erase(isKeyLost: Bool) async throws(WalletError) -> [WithdrawalWarning] {
    let key = ((try? storedBinding())?.key ?? verifier?.key)?.identifier
    verifier = nil
    slot.reset()
    // Before the deletion of the key too, so that no armed card needs a reading to notice it.
    store.withdrawals()?.raise(forCard: nil)
    let failure = await failedDeletion(of: key)
    return try await withdraw(from: nil) { (store) throws(WalletStoreError) in
      try store.wipe(isKeyLost: isKeyLost)
      // An invalid key stays on the device, where it protects nothing.
      if failure != nil, !isKeyLost, let key { try store.addFormerKey(key) }
    } + (failure.map { [.keyNotDeleted($0)] } ?? [])
  }

  private func failedDeletion(of key: KeyIdentifier?) async -> DeviceAuthenticationError? {
    guard let key else { return nil }
    do throws(DeviceAuthenticationError) {
      try await device.keys.delete(key)
      return nil
    } catch { return error }
  }

  /// Deletes the keys that a reset has left on the device because it was not reached.
  private func deleteFormerKeys() async {
    guard let keys = try? store.formerKeys(), !keys.isEmpty else { return }
    let present = (try? storedBinding())?.key.identifier
    for key in keys where key != present {
      if await failedDeletion(of: key) == nil { try? store.removeFormerKey(key) }
    }
  }

  private func storedBinding() throws(WalletError) -> WalletBinding? {
    try stored { (store) throws(WalletStoreError) in try store.binding() }
  }
}

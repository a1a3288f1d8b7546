internal import DeviceAuthentication

/// The count of the store and the counter of the device's key, which together detect a store that was restored from an
/// older copy.
///
/// A reservation raises the store's count durably, and then the device's counter. A process that ends between both leaves
/// the store ahead by 1, as does every other process that is reserving at this moment. So the store is never behind the
/// device, unless it is an older copy.
extension Wallet {
  /// How far the store may be ahead of the device: more processes than reserve at the same time.
  static let greatestLead: UInt64 = 64

  /// Reserves one use of every application of a card, counted on the device.
  ///
  /// - Throws: No use is reserved then. `WalletError.storeRolledBack` for a store that was restored from an older copy
  ///   while it was open.
  func reserve(_ id: String) async throws(WalletError) -> ReservedUses {
    guard let key = verifier?.key else { throw .notInitialized }
    try await alignCounts(of: key)
    let uses = try stored { (store) throws(WalletStoreError) in try store.reserve(id) }
    do throws(WalletError) {
      try await alignCounts(of: key)
    } catch {
      let reservation = uses.id
      try? store.settle(reservation, spent: [])
      throw error
    }
    return uses
  }

  /// Raises the device's counter to the count of the store. Does nothing on a device without counters.
  ///
  /// - Throws: `WalletError.storeRolledBack` for a store that is behind the device; `.device` when the counter could not
  ///   be read or raised, or is behind by more than `greatestLead`.
  func alignCounts(of key: ProtectedKeyRecord) async throws(WalletError) {
    // The device first: another process raises the store's count before the device's counter.
    guard var present = try await counter(of: key) else { return }
    let binding = try stored { (store) throws(WalletStoreError) in try store.binding() }
    guard let binding, binding.key == key else { throw .notInitialized }
    guard binding.count >= present else { throw .storeRolledBack(count: binding.count, deviceCount: present) }
    guard binding.count - present <= Self.greatestLead else {
      throw .device(.unavailable(reason: "the device's counter is \(binding.count - present) behind the wallet's"))
    }
    while present < binding.count {
      guard let next = try await advancedCounter(of: key, from: present), next > present else {
        throw .device(.unavailable(reason: "the device's counter does not rise"))
      }
      present = next
    }
  }

  private func counter(of key: ProtectedKeyRecord) async throws(WalletError) -> UInt64? {
    do throws(DeviceAuthenticationError) {
      return try await device.keys.counter(of: key.identifier)
    } catch { throw .device(error) }
  }

  private func advancedCounter(
    of key: ProtectedKeyRecord, from value: UInt64
  ) async throws(WalletError) -> UInt64? {
    do throws(DeviceAuthenticationError) {
      return try await device.keys.advanceCounter(of: key.identifier, from: value)
    } catch { throw .device(error) }
  }
}

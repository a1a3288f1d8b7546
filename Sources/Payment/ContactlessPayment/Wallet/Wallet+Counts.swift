internal import DeviceAuthentication
internal import Octets

/// The count of the store and the counter of the device's key, which together detect a store that was restored from an
/// older copy, and two copies of a store that pay at the same time.
///
/// A reservation raises the store's count durably to n + 1, and then the device's counter from n to n + 1. The device
/// compares and raises in one step, so of two copies only one is counted. The wallet holds the store's counting lock from
/// the comparison of both counts until that step has ended. A process that ends in between leaves the store ahead by 1,
/// and the next reservation raises the device's counter first.
///
/// A change that takes a right away marks the store in its own transaction. `alignCounts` then raises both counts once for
/// all such changes, in the same way: in the command that has made them, or at the next opening or reservation.
extension Wallet {
  /// How long a wallet waits for another process that counts a reservation of the same store, in seconds.
  static let lockLimit = 30

  /// Reserves one use of every application of a card, counted on the device.
  ///
  /// - Throws: When the store counts the use and the device may not, the use is spent. Otherwise no use is reserved.
  ///   `WalletError.storeRolledBack` when another copy of the store has paid.
  package func reserve(_ id: String) async throws(WalletError) -> ReservedUses {
    guard let key = verifier?.key else { throw .notInitialized }
    let lock = try await lockCounting()
    defer { withExtendedLifetime(lock) {} }
    let present = try await alignCounts(of: key)
    let uses = try stored { (store) throws(WalletStoreError) in try store.reserve(id) }
    guard let present else { return uses }
    do throws(WalletError) {
      try await count(on: key, from: present)
    } catch {
      let (reservation, places) = (uses.id, Set(uses.counters.indices))
      try? store.settle(reservation, spent: places)
      throw error
    }
    return uses
  }

  /// Waits for the right to count. The wallet accepts other calls meanwhile.
  ///
  /// - Parameter limit: How long it waits, in seconds.
  /// - Throws: `.store(.busy)` after the limit.
  func lockCounting(within limit: Int = lockLimit) async throws(WalletError) -> CountingLock {
    let end = clock.now + .seconds(limit)
    while true {
      if let lock = try stored({ (store) throws(WalletStoreError) in try store.lockCounting() }) { return lock }
      guard clock.now < end, (try? await clock.sleep(until: clock.now + .milliseconds(5))) != nil else {
        throw .store(.busy(seconds: limit))
      }
    }
  }

  /// Raises the device's counter to the count of the store, and both by 1 when the store has a change that took a right
  /// away and is in no count. The caller holds the counting lock.
  ///
  /// - Returns: The value of both; nil on a device without counters.
  /// - Throws: `WalletError.storeRolledBack` for a store that is behind the device, now or once before; `.device` when the
  ///   counter could not be read or raised, or is behind by more than the store may be ahead.
  @discardableResult
  func alignCounts(of key: ProtectedKeyRecord) async throws(WalletError) -> UInt64? {
    let binding = try stored { (store) throws(WalletStoreError) in try store.binding() }
    guard let binding, binding.key == key else { throw .notInitialized }
    if case .movedByAnotherCopy(let deviceCount) = binding.counting {
      throw .storeRolledBack(count: binding.count, deviceCount: deviceCount)
    }
    guard var present = try await counter(of: key) else { return nil }
    if present < binding.count {
      guard binding.count - present <= binding.counting.greatestLead else {
        throw .device(.unavailable(reason: "the device's counter is \(binding.count - present) behind the wallet's"))
      }
      present = try await raisedCounter(of: key, from: present, to: binding.count)
    }
    guard present == binding.count else { throw rolledBack(count: binding.count, deviceCount: present) }
    if binding.counting == .uncounted {
      try stored { (store) throws(WalletStoreError) in try store.countWithdrawals() }
      try await count(on: key, from: present)
      return present + 1
    }
    if binding.counting != .inStep {
      try stored { (store) throws(WalletStoreError) in try store.setCounting(.inStep) }
    }
    return present
  }

  /// Compares the count of a store that cannot be written with the device's counter. Nothing is raised or marked.
  ///
  /// - Throws: `WalletError.storeRolledBack` for a store that is behind the device, now or once before; `.device`.
  func checkCount(of binding: WalletBinding) async throws(WalletError) {
    let present = try await counter(of: binding.key) ?? binding.count
    if case .movedByAnotherCopy(let deviceCount) = binding.counting {
      throw .storeRolledBack(count: binding.count, deviceCount: deviceCount)
    }
    guard present <= binding.count else { throw .storeRolledBack(count: binding.count, deviceCount: present) }
  }

  /// Raises the device's counter by steps. Other copies of the store may do that at the same time.
  private func raisedCounter(
    of key: ProtectedKeyRecord, from value: UInt64, to count: UInt64
  ) async throws(WalletError) -> UInt64 {
    var present = value
    while present < count {
      switch try await step(of: key, from: present) {
      case .raised: present += 1
      case .differed(let other) where other > present: present = other
      default: throw .device(.unavailable(reason: "the device's counter does not rise"))
      }
    }
    return present
  }

  /// Counts on the device what the store has counted.
  private func count(on key: ProtectedKeyRecord, from value: UInt64) async throws(WalletError) {
    switch try await step(of: key, from: value) {
    case .raised: break
    case .differed(let other) where other > value: throw rolledBack(count: value + 1, deviceCount: other)
    default: throw .device(.unavailable(reason: "the device's counter does not rise"))
    }
  }

  /// Marks the store. Without the mark, the device's counter still shows it at the next reservation, or the use is spent.
  private func rolledBack(count: UInt64, deviceCount: UInt64) -> WalletError {
    try? store.setCounting(.movedByAnotherCopy(deviceCount: deviceCount))
    return .storeRolledBack(count: count, deviceCount: deviceCount)
  }

  func counter(of key: ProtectedKeyRecord) async throws(WalletError) -> UInt64? {
    do throws(DeviceAuthenticationError) {
      return try await device.keys.counter(of: key.identifier)
    } catch { throw .device(error) }
  }

  private func step(of key: ProtectedKeyRecord, from value: UInt64) async throws(WalletError) -> CounterStep? {
    do throws(DeviceAuthenticationError) {
      return try await device.keys.advanceCounter(of: key.identifier, from: value)
    } catch { throw .device(error) }
  }
}

extension WalletBinding.Counting {
  /// How far the store may be ahead of the device.
  fileprivate var greatestLead: UInt64 {
    switch self {
    case .inStep, .uncounted: 1
    // Older versions had no counting lock: more processes than reserve at the same time.
    case .ofOlderVersion: 64
    case .movedByAnotherCopy: 0
    }
  }
}

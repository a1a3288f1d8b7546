internal import DeviceAuthentication

/// The count of the local data and the counter of the sealing key, which together detect an older copy of the local data.
///
/// An entry raises the count durably, then the counter of the device, and is compared after both. A process that ends
/// between both leaves the local data ahead by 1, and the next entry raises the counter to it. So the local data is never
/// behind the device, unless it is an older copy.
extension SecretAuthenticator {
  /// How far the local data may be ahead of the device: an entry of one process leaves a lead of 1.
  private static let greatestLead: UInt64 = 64

  /// The counter of a sealing key; nil on a device without counters, which detects no older copy.
  func deviceCount(of key: KeyIdentifier) async throws(AuthenticatorError) -> UInt64? {
    do throws(DeviceAuthenticationError) {
      return try await keys.counter(of: key)
    } catch { throw AuthenticatorError(error) }
  }

  /// Raises the counter of the device to the count of the local data.
  func raiseDeviceCount(of key: KeyIdentifier, to count: UInt64) async throws(AuthenticatorError) {
    guard var present = try await deviceCount(of: key) else { return }
    guard count - min(present, count) <= Self.greatestLead else {
      throw .device(.unavailable(reason: "the device's counter is \(count - present) behind the local data"))
    }
    do throws(DeviceAuthenticationError) {
      while present < count {
        switch try await keys.advanceCounter(of: key, from: present) {
        case .raised: present += 1
        case .differed(let other) where other > present: present = other
        default: throw .unavailable(reason: "the device's counter does not rise")
        }
      }
    } catch { throw AuthenticatorError(error) }
  }
}

extension SecretProtection {
  /// Checks a protection that was read against the device.
  ///
  /// - Parameter deviceCount: The counter of the sealing key before the local data was read; nil without counters.
  /// - Throws: `.attemptsChanged` or `.rolledBack`.
  func check(_ seal: AttemptSeal, deviceCount: UInt64?) throws(LocalDataError) {
    // Data of an older version has no seal. It is accepted while the device has counted no entry of this key, so that the
    // removal of a seal takes no wrong entry back.
    if self.seal == nil, count == 0, deviceCount ?? 0 == 0 { return }
    try seal.check(self)
    if let deviceCount, count < deviceCount { throw .rolledBack(count: count, deviceCount: deviceCount) }
  }
}

internal import DeviceAuthentication
internal import MobileAuthentication
internal import Octets

// The end of an inactive session.
extension WalletAccess {
  /// The state of the session's inactivity; nil without a session.
  private func inactivity() async throws(WalletAccessError) -> InactivityMachine? {
    let record = try await record()
    guard let session = record.session else { return nil }
    let now = device.clocks.now
    return InactivityMachine(
      limit: InactivityLimit(
        issuer: .seconds(session.idleSeconds), user: record.idleSeconds.map { .seconds($0) }),
      idle: now.elapsed(since: session.lastActivity), now: now.sinceBoot)
  }

  /// Logs out when the session was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it is open, and without a session.
  func logOutIfInactive() async throws(WalletAccessError) -> LogoutResult? {
    guard var machine = try await inactivity(), machine.examine(at: device.clocks.monotonic.now) == .logOut else {
      return nil
    }
    guard let result = try await endSession() else { return nil }
    _ = try await change { $0.hasExpiredSession = true }
    return result
  }

  /// Waits until the session ends, and logs out when it was inactive for too long.
  ///
  /// - Returns: How the session was ended; nil when it ended in another way.
  func watchInactivity() async throws(WalletAccessError) -> LogoutResult? {
    while var machine = try await inactivity() {
      switch machine.examine(at: device.clocks.monotonic.now) {
      case .logOut: return try await endSession()
      case .wait(let instant):
        do {
          try await device.clocks.monotonic.sleep(until: instant)
        } catch { throw .cancelled }
      }
    }
    return nil
  }
}

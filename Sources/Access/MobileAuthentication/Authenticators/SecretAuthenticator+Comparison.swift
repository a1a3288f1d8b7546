internal import DeviceAuthentication
internal import Octets

// The comparison of an entry, and what follows the last wrong one.
extension SecretAuthenticator {
  private enum Verdict: Sendable {
    case right
    case refused
    case lockedOut
    /// Another process has changed the value since the prompt was opened.
    case changedMeanwhile
  }

  /// Compares an entry and counts it.
  ///
  /// - Parameter resettingAttempts: Whether a right entry takes the count back. A change does so only when the new value
  ///   is accepted as well.
  /// - Returns: Whether the entry was right. An entry during a cool-down is not.
  /// - Throws: `.lockedOut` after the fifth wrong entry.
  func compare(
    _ entry: EnteredSecret, with present: Present, resettingAttempts: Bool
  ) async throws(AuthenticatorError) -> Bool {
    let hash = try await open(present.protection.verifier)
    let (record, verifier, clocks) = (present.record, present.protection.verifier, clocks)
    let verdict = try await attempt { () async throws(LocalDataError) in
      try await store.update { (records, keep) throws(LocalDataError) -> Verdict in
        guard let index = records.index(of: record.keyID, record.aaid),
          var protection = records.registrations[index].protection, protection.verifier == verifier
        else { return .changedMeanwhile }
        let before = protection.attempts
        switch protection.attempts.begin(at: clocks.now) {
        case .ignored: return .refused
        case .lockedOut: return .lockedOut
        case .admitted: break
        }
        records.registrations[index].protection = protection
        try keep(records)
        guard hash.matches(entry) else {
          protection.attempts.fail(at: clocks.now)
          records.registrations[index].protection = protection
          return protection.attempts.status(at: clocks.now) == .lockedOut ? .lockedOut : .refused
        }
        protection.attempts = resettingAttempts ? AttemptRecord() : before
        records.registrations[index].protection = protection
        return .right
      }
    }
    switch verdict {
    case .right: return true
    case .refused, .changedMeanwhile: return false
    case .lockedOut: throw await lockOut(present)
    }
  }

  /// Destroys the private key of a locked registration. Its record stays, here and on the server.
  func lockOut(_ present: Present) async -> AuthenticatorError {
    for key in present.record.keys {
      do throws(DeviceAuthenticationError) {
        try await keys.delete(key)
      } catch {
        // The next use finds the registration locked and tries again.
        return .device(error)
      }
    }
    return .lockedOut
  }

  private func open(_ verifier: SealedSecret) async throws(AuthenticatorError) -> SecretHash {
    do throws(DeviceAuthenticationError) {
      guard let hash = SecretHash(try await verifier.open(for: kind.sealingPurpose, in: keys)) else {
        throw .unavailable(reason: "the stored hash of the \(kind.rawValue) has an unknown form")
      }
      return hash
    } catch { throw AuthenticatorError(error) }
  }
}

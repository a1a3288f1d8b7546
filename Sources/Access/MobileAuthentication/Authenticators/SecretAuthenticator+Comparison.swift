internal import DeviceAuthentication
internal import POSIX

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
    let sealingKey = present.protection.verifier.sealingKey
    let (hash, seal) = try await open(present.protection.verifier)
    let mark = try await converting(AuthenticatorError.localData) { () async throws(LocalDataError) in
      try await store.beginEntry()
    }
    defer { withExtendedLifetime(mark) {} }
    // The device first: between both calls the count of the local data can only rise.
    let deviceCount = try await deviceCount(of: sealingKey)
    let (count, before): (UInt64, AttemptRecord)
    switch try await admit(present, seal, deviceCount) {
    case .ended(let verdict): return try await conclude(verdict, present)
    case .admitted(let own, let attempts): (count, before) = (own, attempts)
    }
    try await raiseDeviceCount(of: sealingKey, to: count)
    let isRight = await blocking { hash.matches(entry) }
    let verdict = try await settle(present, seal) { [clocks] attempts in
      switch (isRight, resettingAttempts) {
      case (true, true): attempts.succeed()
      case (true, false): attempts = before
      case (false, _): attempts.fail(at: clocks.now)
      }
    }
    return try await conclude(isRight && verdict == .refused ? .right : verdict, present)
  }

  private enum Admission: Sendable {
    /// The entry is counted as wrong, and must be compared when the device has counted it too.
    case admitted(count: UInt64, before: AttemptRecord)
    case ended(Verdict)
  }

  /// Counts an entry as wrong before it is compared.
  private func admit(
    _ present: Present, _ seal: AttemptSeal, _ deviceCount: UInt64?
  ) async throws(AuthenticatorError) -> Admission {
    let admission = try await update(present) { [clocks] (protection) throws(LocalDataError) -> Admission in
      try protection.check(seal, deviceCount: deviceCount)
      let before = protection.attempts
      switch protection.attempts.begin(at: clocks.now) {
      case .ignored: return .ended(.refused)
      case .lockedOut: return .ended(.lockedOut)
      case .admitted: break
      }
      protection.count = max(protection.count, deviceCount ?? 0) + 1
      seal.seal(&protection)
      return .admitted(count: protection.count, before: before)
    }
    return admission ?? .ended(.changedMeanwhile)
  }

  /// Records the result of a comparison. The verdict is that of a wrong entry.
  private func settle(
    _ present: Present, _ seal: AttemptSeal, _ change: @escaping @Sendable (inout AttemptRecord) -> Void
  ) async throws(AuthenticatorError) -> Verdict {
    let verdict = try await update(present) { [clocks] (protection) throws(LocalDataError) -> Verdict in
      try seal.check(protection)
      change(&protection.attempts)
      seal.seal(&protection)
      return protection.attempts.status(at: clocks.now) == .lockedOut ? .lockedOut : .refused
    }
    return verdict ?? .changedMeanwhile
  }

  /// Changes the stored protection of a registration.
  ///
  /// - Returns: What the change returns; nil when another process has replaced the value since it was read.
  func update<Value: Sendable>(
    _ present: Present, _ change: @escaping @Sendable (inout SecretProtection) throws(LocalDataError) -> Value
  ) async throws(AuthenticatorError) -> Value? {
    let (record, verifier) = (present.record, present.protection.verifier)
    return try await converting(AuthenticatorError.localData) { () async throws(LocalDataError) in
      try await store.update { (records, _) throws(LocalDataError) -> Value? in
        guard let index = records.index(of: record.keyID, record.aaid),
          var protection = records.registrations[index].protection, protection.verifier == verifier
        else { return nil }
        let value = try change(&protection)
        records.registrations[index].protection = protection
        return value
      }
    }
  }

  private func conclude(_ verdict: Verdict, _ present: Present) async throws(AuthenticatorError) -> Bool {
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

  private func open(_ verifier: SealedSecret) async throws(AuthenticatorError) -> (SecretHash, AttemptSeal) {
    do throws(DeviceAuthenticationError) {
      let material = try await keys.unseal(verifier.sealingKey)
      let seal = AttemptSeal(material)
      let purpose = kind.sealingPurpose
      guard let hash = SecretHash(try verifier.open(for: purpose, with: purpose.key(from: material))) else {
        throw .unavailable(reason: "the stored hash of the \(kind.rawValue) has an unknown form")
      }
      return (hash, seal)
    } catch { throw AuthenticatorError(error) }
  }
}

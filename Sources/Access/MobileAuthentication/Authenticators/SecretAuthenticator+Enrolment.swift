internal import DeviceAuthentication
internal import POSIX

extension SecretAuthenticator {
  /// Asks for a PIN or a password until its rules accept it, and protects it. Nothing is kept: the caller stores the result
  /// with its registration, and deletes the sealing key when it does not.
  func enrol(
    for account: Account, asking enroller: any SecretEnroller
  ) async throws(AuthenticatorError) -> SecretProtection {
    let policy = try enroller.policy(for: kind).orDenied()
    var refusal: EntryRefusal?
    let limit = limit()
    while true {
      let context = SecretEnrolment(kind: kind, account: account, lastRecoverableError: refusal)
      let entry = try await limit.answer { () async throws(InteractionCancelled) in
        try await enroller.enrol(context)
      }
      do throws(EntryRefusal) {
        try await policy.check(entry, isChange: false)
      } catch {
        refusal = error
        continue
      }
      return try await protect(entry)
    }
  }

  private func protect(_ entry: EnteredSecret) async throws(AuthenticatorError) -> SecretProtection {
    do throws(DeviceAuthenticationError) {
      let key = try await keys.create(.sealing, counting: settings.rollbackProtection)
      do throws(DeviceAuthenticationError) {
        var protection = SecretProtection(
          kind: kind, verifier: try await seal(entry, with: key), count: try await keys.counter(of: key) ?? 0)
        AttemptSeal(try await keys.unseal(key)).seal(&protection)
        return protection
      } catch {
        // Without its secret the key is of no use; when it stays, nothing depends on it.
        try? await keys.delete(key)
        throw error
      }
    } catch { throw AuthenticatorError(error) }
  }

  /// Hashes an entry with a new salt and encrypts the hash.
  func seal(
    _ entry: EnteredSecret, with key: KeyIdentifier
  ) async throws(DeviceAuthenticationError) -> SealedSecret {
    let (random, cost) = (random, settings.cost)
    let hash = await blocking { SecretHash(of: entry, random: random, cost: cost) }
    return try await SealedSecret.seal(hash.octets, for: kind.sealingPurpose, with: key, in: keys)
  }
}

internal import AccessMessages
internal import DeviceAuthentication

extension SecretAuthenticator {
  /// Asks for the old and the new value of a user until both are accepted, and replaces the value.
  ///
  /// - Throws: `.notEnrolled` when the user has no such secret; `.lockedOut` at the fifth wrong old value.
  func change(of username: String, asking changer: any SecretChanger) async throws(AuthenticatorError) {
    let policy = try changer.policy(for: kind).orDenied()
    var refusal: EntryRefusal?
    var limit = limit()
    while true {
      let present = try await registration { [kind] records in
        records.registrations.firstIndex {
          $0.account.username.hasSameOctets(as: username) && $0.state == .registered && $0.protection?.kind == kind
        }
      }
      let context = try await context(for: present, refusal)
      limit.add(coolDown: context.protectionStatus.coolDown)
      let values = try await limit.answer { () async throws(InteractionCancelled) in
        try await changer.change(context)
      }
      // In this order: the old value, then the difference, then the rules for the new one. A refused new value neither
      // counts as a wrong entry nor takes the count back.
      guard try await compare(values.old, with: present, resettingAttempts: false) else {
        refusal = .incorrect
        continue
      }
      do throws(EntryRefusal) {
        guard !values.new.isEqual(to: values.old) else { throw .newEqualsOld }
        try await policy.check(values.new, isChange: true)
      } catch {
        refusal = error
        continue
      }
      if try await replace(present, with: values.new) { return }
      refusal = .incorrect
    }
  }

  /// Stores a new value and takes the count back.
  ///
  /// - Returns: False when another process has replaced the value since it was compared.
  private func replace(_ present: Present, with entry: EnteredSecret) async throws(AuthenticatorError) -> Bool {
    let former = present.protection.verifier
    let verifier: SealedSecret
    let seal: AttemptSeal
    do throws(DeviceAuthenticationError) {
      verifier = try await self.seal(entry, with: former.sealingKey)
      seal = AttemptSeal(try await keys.unseal(former.sealingKey))
    } catch { throw AuthenticatorError(error) }
    let replaced: Void? = try await update(present) { [kind] (protection) throws(LocalDataError) in
      try seal.check(protection)
      protection = SecretProtection(kind: kind, verifier: verifier, count: protection.count)
      seal.seal(&protection)
    }
    return replaced != nil
  }
}

internal import DeviceAuthentication
internal import Links

extension ContactlessPaymentSession {
  /// Runs the verification of the cardholder and waits for its end. Does nothing in any other state. The cancellation
  /// of the waiting task closes the prompt and ends the session with `cancelled`.
  func authenticate() async {
    guard
      let verification = machine.proceed({
        Task(executorPreference: wallet.taskExecutor) { await self.verify() }
      })
    else { return }
    await withTaskCancellationHandler {
      await verification.value
    } onCancel: {
      verification.cancel()
    }
  }

  private func verify() async {
    do throws(DeviceAuthenticationError) {
      let verification = try await verifier.verify(nonce: nonce, validity: limits.verificationValidity)
      let permit = Permit(redeeming: verification, nonce: nonce, furtherUses: limits.furtherUses)
      // The session may have ended during the verification.
      guard let order = machine.paymentToArm else { return }
      await arm(order, permit)
    } catch {
      await end(with: Error(error))
    }
  }

  /// Ends the session with the error of a verification, a reservation or an access to the key. Local data go with the key,
  /// also when the session has ended since. Data that cannot be removed now are refused under the same key later.
  private func end(with error: Error) async {
    guard case .authenticationKeyInvalidated(let reason, .none) = error else { return fail(error) }
    // Ended first, so that the wipe does not end it for another reason.
    let ending = machine.end()
    let failure = await wallet.wipe(forKeyOf: generation)
    guard let ending else { return }
    close(ending, with: .authenticationKeyInvalidated(reason, wipeFailure: failure))
    machine.presentation?.link.stop()
  }

  private func arm(_ order: StartedPayment, _ permit: consuming Permit) async {
    do throws(Error) {
      // The verification takes time: the environment of the payment may have changed.
      try checkEnvironment()
      // Before the reservation, which reads what the watch reads: no change is between both.
      rights = try makeRights(of: order.card)
      let uses = try await wallet.reserveUses(of: order.card, makingItDefault: true)
      guard !Task.isCancelled else {
        settle(Settlement(id: uses.id, spent: []))
        throw .cancelled
      }
      // A payment that was revoked meanwhile ends with the reason of its revocation.
      guard order.claim.isValid else { return settle(Settlement(id: uses.id, spent: [])) }
      guard perform(machine.verified(permit, uses)) else { return }
      continuation.yield(.authenticationCompleted)
      endAtDeadline()
    } catch { await end(with: error) }
  }

  /// Ends the session when its card is not presented in time.
  private func endAtDeadline() {
    guard let deadline = machine.unpresentedDeadline else { return }
    expiry = call(at: deadline) { session in
      if session.machine.unpresentedDeadline != nil { session.fail(.authenticationExpired) }
    }
  }

  /// Reserves a further use, which the machine has permitted, and arms the card with it. Returns whether the card is
  /// armed.
  func rearm() async -> Bool {
    guard let order = machine.paymentToArm else { return false }
    do throws(Error) {
      try checkEnvironment()
      let uses = try await wallet.reserveUses(of: order.card, makingItDefault: false)
      guard order.claim.isValid else {
        settle(Settlement(id: uses.id, spent: []))
        return false
      }
      return perform(machine.rearmed(uses))
    } catch {
      await end(with: error)
      return false
    }
  }

  private func makeRights(of card: DigitalCard) throws(Error) -> ArmedRights {
    let subject = PaymentSubject(
      store: wallet.store, device: wallet.device.monitor, card: card.number, key: verifier.key?.identifier,
      needsEnrolment: verifier.policy == .biometricOnly, page: wallet.store.withdrawals())
    do throws(WalletStoreError) {
      return try ArmedRights(subject, on: clock) { [exchange, weak self] finding in
        // At once: the card's next command must find no key.
        exchange.revoke()
        Task { await self?.end(because: finding) }
      }
    } catch { throw .unavailable("\(error)") }
  }

  private func end(because finding: PaymentFinding) {
    switch finding {
    case .revoked(let revocation): fail(Error(revocation))
    case .unavailable(let reason): fail(.unavailable(reason))
    case .keyLost: endWithoutKey()
    case .nothingEnrolled: fail(.biometricNotEnrolled("the last finger or face was removed while the card was armed"))
    }
  }

  /// The card is disarmed: accesses the key, which shows why it is lost, and removes the local data.
  private func endWithoutKey() {
    guard let ending = machine.end() else { return }
    rights = nil
    wiping = Task {
      let error = await wallet.loss(ofKeyOf: generation)
      close(ending, with: error)
      machine.presentation?.link.stop()
    }
  }

  /// Returns whether the card is armed.
  private func perform(_ result: consuming SessionMachine.ArmingResult) -> Bool {
    switch consume result {
    case .armed(let arming):
      exchange.put(arming, rights)
      exchange.releaseForGood()
      return true
    case .refused(let settlement):
      settle(settlement)
      return false
    }
  }
}

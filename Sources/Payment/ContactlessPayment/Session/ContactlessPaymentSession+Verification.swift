internal import DeviceAuthentication
internal import EMVCard
internal import EMVCryptography

extension ContactlessPaymentSession {
  /// Runs the verification of the cardholder and waits for its end. Does nothing in any other state.
  func authenticate() async {
    await machine.proceed { Task { await self.verify() } }?.value
  }

  private func verify() async {
    do throws(DeviceAuthenticationError) {
      let verification = try await verifier.verify(nonce: nonce, validity: limits.verificationValidity)
      let permit = Permit(redeeming: verification, nonce: nonce, furtherUses: limits.furtherUses)
      // The session may have ended during the verification.
      guard let order = machine.paymentToArm else { return }
      arm(order.card, permit)
    } catch {
      // Local data go with the key. Data that cannot be removed now are refused under the same key later.
      if case .authenticationKeyInvalidated = error { try? await wallet.wipe() }
      fail(Error(error))
    }
  }

  private func arm(_ card: DigitalCard, _ permit: consuming Permit) {
    do throws(Error) {
      // The verification takes time: the environment of the payment may have changed.
      if let obstacle = environment.obstacle() { throw Error(obstacle) }
      try makeDefault(card)
      perform(machine.verified(permit, try reserveUses(of: card)))
      continuation.yield(.authenticationCompleted)
    } catch { fail(error) }
  }

  /// Reserves a further use, which the machine has permitted, and arms the card with it. Returns whether the card is
  /// armed.
  func rearm() -> Bool {
    guard let card = machine.paymentToArm?.card else { return false }
    do throws(Error) {
      perform(machine.rearmed(try reserveUses(of: card)))
      return true
    } catch {
      fail(error)
      return false
    }
  }

  private func perform(_ result: consuming SessionMachine.ArmingResult) {
    switch consume result {
    case .armed(let arming):
      exchange.put(arming)
      exchange.releaseForGood()
    case .refused(let settlement): settle(settlement)
    }
  }

  /// The chosen card stays the default whatever the payment leads to: its cardholder has confirmed the choice.
  private func makeDefault(_ card: DigitalCard) throws(Error) {
    guard !card.isDefault else { return }
    do throws(WalletStoreError) {
      try store.setDefault(card.id)
    } catch { throw .setDefaultCardFailure("\(error)") }
  }

  private func reserveUses(of card: DigitalCard) throws(Error) -> ReservedUses {
    let uses: ReservedUses
    do throws(WalletStoreError) {
      uses = try store.reserve(card.id)
    } catch { throw Error(error) }
    let (id, counters, keys) = (uses.id, uses.counters.count, uses.keys.count)
    guard counters == card.image.applications.count, keys == card.image.keyCount else {
      settle(Settlement(id: id, spent: []))
      throw .cardNotSupported("its store returned \(counters) counters and \(keys) keys")
    }
    return uses
  }
}

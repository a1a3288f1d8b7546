internal import DeviceAuthentication
internal import EMVCard
internal import EMVCryptography
internal import Octets

extension ContactlessPaymentSession {
  func authenticate() async {
    guard machine.proceed() else { return }
    let task = Task { await self.verify() }
    verification = task
    await task.value
  }

  private func verify() async {
    do throws(DeviceAuthenticationError) {
      let verification = try await verifier.verify(nonce: nonce, validity: limits.verificationValidity)
      let cardholder = verification.redeem(nonce: nonce)
      guard machine.verified() else { return }
      self.cardholder = cardholder
      guard isUnobstructed(), makeDefault(), arm() else { return }
      continuation.yield(.authenticationCompleted)
      exchange.releaseForGood()
    } catch {
      // Local data go with the key. What cannot be removed now is asked for under the same key again, and goes then.
      if case .authenticationKeyInvalidated = error { try? await wallet.wipe() }
      fail(Error(error))
    }
  }

  /// A verification takes its time: what surrounds the payment may have changed.
  private func isUnobstructed() -> Bool {
    guard let obstacle = environment.obstacle() else { return true }
    fail(Error(obstacle))
    return false
  }

  /// The card that was named stays the default, whatever becomes of the payment: its holder has confirmed the choice.
  private func makeDefault() -> Bool {
    guard let card, !card.isDefault else { return true }
    do throws(WalletStoreError) {
      try store.setDefault(card.id)
      return true
    } catch {
      fail(.setDefaultCardFailure("\(error)"))
      return false
    }
  }

  /// Reserves one use per application and hands the card what it needs. Ends the session where that is impossible.
  func arm() -> Bool {
    guard let card, let cardholder else { preconditionFailure("only a verified session with a card is armed") }
    do throws(WalletStoreError) {
      let uses = try store.reserve(card.id)
      reservation = (uses.id, uses.counters)
      let (counters, keys) = (uses.counters.count, uses.keys.count)
      guard counters == card.image.applications.count, keys == card.image.keyCount else {
        fail(.cardNotSupported("its store gave \(counters) counters and \(keys) keys"))
        return false
      }
      exchange.put(Arming(uses, cardholder, walletData))
      return true
    } catch {
      fail(Error(error))
      return false
    }
  }
}

extension Arming {
  /// Binds reserved uses to a verification of the holder.
  fileprivate init(_ uses: consuming ReservedUses, _ cardholder: VerifiedCardholder, _ walletData: [UInt8]) {
    self.init(keys: uses.keys, counters: uses.counters, deadline: cardholder.deadline, walletData: walletData)
  }
}

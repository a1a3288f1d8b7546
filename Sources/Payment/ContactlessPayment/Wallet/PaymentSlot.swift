internal import Synchronization

/// Allows one payment of a wallet at a time, and revokes it when the wallet is reset or the card changes.
final class PaymentSlot: Sendable {
  private struct Holder {
    let number: UInt64
    /// The card that pays; nil before it is chosen.
    var card: String?
    var isRevoked = false
    let revoke: @Sendable (PaymentRevocation) -> Void
  }

  private struct State {
    var generation: UInt64 = 0
    var lastNumber: UInt64 = 0
    var holder: Holder?

    /// Marks the holder as revoked. Returns its callback, or nil without a holder.
    mutating func revoke() -> (@Sendable (PaymentRevocation) -> Void)? {
      holder?.isRevoked = true
      return holder?.revoke
    }
  }

  private let state = Mutex(State())

  /// Whether a payment has the slot.
  var isTaken: Bool { state.withLock { $0.holder != nil } }

  /// The number of wipes of the wallet so far.
  var generation: UInt64 { state.withLock(\.generation) }

  /// Claims the slot.
  ///
  /// - Parameters:
  ///   - generation: The generation in which the payment was created.
  ///   - revoke: Called once or more when the payment must end, on the thread of the call that revokes it.
  /// - Throws: `PaymentClaimRefusal` while another payment has the slot, and after a wipe.
  func claim(
    of generation: UInt64, onRevocation revoke: @escaping @Sendable (PaymentRevocation) -> Void
  ) throws(PaymentClaimRefusal) -> PaymentClaim {
    let number = try state.withLock { (state) throws(PaymentClaimRefusal) -> UInt64 in
      if generation != state.generation { throw .walletWasReset }
      guard state.holder == nil else { throw .paymentInProgress }
      state.lastNumber += 1
      state.holder = Holder(number: state.lastNumber, revoke: revoke)
      return state.lastNumber
    }
    return PaymentClaim(number, of: self)
  }

  /// Begins a new generation and revokes the payment in progress: the wallet's data were removed.
  func reset() {
    let revoke = state.withLock { state in
      state.generation += 1
      return state.revoke()
    }
    // Outside the lock: the callback may release the last reference to a claim, which takes the lock.
    revoke?(.walletWasReset)
  }

  /// Revokes the payment in progress, of any card.
  func revoke(because revocation: PaymentRevocation) {
    let revoke = state.withLock { $0.revoke() }
    revoke?(revocation)
  }

  /// Revokes the payment in progress when it is one of a card that may no longer pay.
  func revoke(_ card: String, because revocation: PaymentRevocation) {
    let revoke = state.withLock { state in state.holder?.card == card ? state.revoke() : nil }
    revoke?(revocation)
  }

  fileprivate func bind(_ number: UInt64, to card: String) {
    state.withLock { state in
      if state.holder?.number == number { state.holder?.card = card }
    }
  }

  fileprivate func isValid(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard let holder = state.holder else { return false }
      return holder.number == number && !holder.isRevoked
    }
  }

  fileprivate func release(_ number: UInt64) {
    state.withLock { state in
      if state.holder?.number == number { state.holder = nil }
    }
  }
}

/// Why a payment did not get the slot.
enum PaymentClaimRefusal: Error, Equatable, Sendable {
  /// Another payment of the wallet has it.
  case paymentInProgress
  /// The wallet was reset after the payment was created.
  case walletWasReset
}

/// A payment of a wallet in progress, until the claim is released.
final class PaymentClaim: Sendable {
  private let number: UInt64
  private let slot: PaymentSlot

  init(_ number: UInt64, of slot: PaymentSlot) {
    self.number = number
    self.slot = slot
  }

  deinit { slot.release(number) }

  /// Whether the payment was not revoked.
  var isValid: Bool { slot.isValid(number) }

  /// Names the card that pays. A change of that card revokes the payment.
  func bind(to card: String) { slot.bind(number, to: card) }
}

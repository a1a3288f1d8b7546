internal import Synchronization

/// The one place of a wallet in which a payment can be under way.
final class PaymentSlot: Sendable {
  private struct Holder {
    var number: UInt64 = 0
    var invalidate: (@Sendable () -> Void)?
  }

  private let holder = Mutex(Holder())

  var isTaken: Bool { holder.withLock { $0.invalidate != nil } }

  /// Takes the place, or nil while another payment has it.
  func claim(onInvalidation invalidate: @escaping @Sendable () -> Void) -> PaymentClaim? {
    let number = holder.withLock { holder -> UInt64? in
      guard holder.invalidate == nil else { return nil }
      holder.number += 1
      holder.invalidate = invalidate
      return holder.number
    }
    return number.map { PaymentClaim($0, of: self) }
  }

  /// Tells the payment, if there is one, that the ground it stands on is gone.
  func invalidate() {
    holder.withLock { $0.invalidate }?()
  }

  func release(_ number: UInt64) {
    holder.withLock { holder in
      if holder.number == number { holder.invalidate = nil }
    }
  }
}

/// One payment of a wallet that is under way; letting go of it ends it. `Wallet.claimPayment` gives it to payments that
/// are no taps.
public final class PaymentClaim: Sendable {
  private let number: UInt64
  private let slot: PaymentSlot

  init(_ number: UInt64, of slot: PaymentSlot) {
    self.number = number
    self.slot = slot
  }

  deinit { slot.release(number) }
}

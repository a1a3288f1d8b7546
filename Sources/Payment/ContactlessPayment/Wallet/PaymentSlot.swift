internal import Synchronization

/// Allows one payment of a wallet at a time.
final class PaymentSlot: Sendable {
  private struct Holder {
    var number: UInt64 = 0
    var invalidate: (@Sendable () -> Void)?
  }

  private let holder = Mutex(Holder())

  var isTaken: Bool { holder.withLock { $0.invalidate != nil } }

  /// Claims the slot; returns nil while another payment has it.
  func claim(onInvalidation invalidate: @escaping @Sendable () -> Void) -> PaymentClaim? {
    let number = holder.withLock { holder -> UInt64? in
      guard holder.invalidate == nil else { return nil }
      holder.number += 1
      holder.invalidate = invalidate
      return holder.number
    }
    return number.map { PaymentClaim($0, of: self) }
  }

  /// Invalidates the payment in progress, if there is one.
  func invalidate() {
    holder.withLock { $0.invalidate }?()
  }

  func release(_ number: UInt64) {
    holder.withLock { holder in
      if holder.number == number { holder.invalidate = nil }
    }
  }
}

/// A payment of a wallet in progress, until the claim is released. `Wallet.claimPayment` returns it to payments that
/// are not taps.
public final class PaymentClaim: Sendable {
  private let number: UInt64
  private let slot: PaymentSlot

  init(_ number: UInt64, of slot: PaymentSlot) {
    self.number = number
    self.slot = slot
  }

  deinit { slot.release(number) }
}

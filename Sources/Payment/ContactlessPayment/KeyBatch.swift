package import Octets

/// What a store knows of a key beside the key itself, and the rules by which uses are taken: the same for every store.
package struct KeyBatch: Sendable {
  package let kind: PaymentKeyKind
  /// The lowest counter that the key may pay with; for a single-use key the only one.
  package let firstCounter: Int
  /// How many uses were not taken yet.
  package var usesLeft: Int
  package let expiry: WallTime?

  package init(kind: PaymentKeyKind, firstCounter: Int, usesLeft: Int, expiry: WallTime?) {
    self.kind = kind
    self.firstCounter = firstCounter
    self.usesLeft = usesLeft
    self.expiry = expiry
  }

  /// The highest transaction counter (tag 9F36 has two octets).
  package static let lastCounter = 0xFFFF

  func isExpired(at moment: WallTime) -> Bool { expiry.map { moment >= $0 } ?? false }

  /// The counters that the key can pay with when every counter below one is gone; nil for none.
  fileprivate func counters(from next: Int) -> Range<Int>? {
    guard usesLeft > 0 else { return nil }
    switch kind {
    case .singleUse: return firstCounter >= next ? firstCounter..<firstCounter + 1 : nil
    case .limitedUse:
      let first = max(firstCounter, next)
      let end = min(first + usesLeft, Self.lastCounter + 1)
      return first < end ? first..<end : nil
    }
  }
}

extension [KeyBatch] {
  /// The oldest valid key, by its place, and the counter of its next payment.
  ///
  /// - Parameter next: The lowest counter that no payment has.
  package func nextUse(from next: Int, at moment: WallTime) -> (place: Int, counter: UInt16)? {
    for (place, batch) in enumerated() where !batch.isExpired(at: moment) {
      if let counter = batch.counters(from: next)?.lowerBound { return (place, UInt16(clamping: counter)) }
    }
    return nil
  }

  /// What is left, in the order in which the keys came; neighbours that are alike are counted together.
  package func statuses(of application: Int, from next: Int, at moment: WallTime) -> [PaymentKeyStatus] {
    var next = next
    var result: [PaymentKeyStatus] = []
    for batch in self {
      let isExpired = batch.isExpired(at: moment)
      let counters = isExpired ? nil : batch.counters(from: next)
      next = counters?.upperBound ?? next
      let status = PaymentKeyStatus(
        application: application, kind: batch.kind, paymentsLeft: counters?.count ?? 0, expiry: batch.expiry,
        isExpired: isExpired)
      if let last = result.last, last.kind == status.kind, last.expiry == status.expiry {
        result[result.count - 1].paymentsLeft += status.paymentsLeft
      } else {
        result.append(status)
      }
    }
    return result
  }

  /// The lowest counter that is above all that was used or provisioned: where an issuer goes on. 65536 when the
  /// counter has come to its end.
  package func freeCounter(from next: Int) -> Int {
    reduce(next) { free, batch in
      switch batch.kind {
      case .singleUse: Swift.max(free, batch.firstCounter + 1)
      case .limitedUse: Swift.min(Swift.max(free, batch.firstCounter) + batch.usesLeft, KeyBatch.lastCounter + 1)
      }
    }
  }
}

package import Octets

/// A key's counters and expiry without its bytes, and the rules by which uses are taken. Every store applies them.
package struct KeyBatch: Sendable {
  package let kind: PaymentKeyKind
  /// The lowest counter with which the key may pay; for a single-use key the only one.
  package let firstCounter: Int
  /// The number of uses that were not taken.
  package var usesLeft: Int
  package let expiry: WallTime?

  /// Limits the numbers to the range of counters: a store may be damaged.
  package init(kind: PaymentKeyKind, firstCounter: Int, usesLeft: Int, expiry: WallTime?) {
    self.kind = kind
    self.firstCounter = min(max(firstCounter, 0), Self.lastCounter + 1)
    self.usesLeft = min(max(usesLeft, 0), Self.lastCounter)
    self.expiry = expiry
  }

  /// The highest transaction counter (tag 9F36 has two bytes).
  package static let lastCounter = 0xFFFF

  /// Whether the removal of the keys whose first counter is below another one takes uses of this key.
  package func isEnded(below counter: Int) -> Bool { firstCounter < counter && usesLeft > 0 }

  func isExpired(at moment: WallTime) -> Bool { expiry.map { moment >= $0 } ?? false }

  /// The counters with which the key can pay when every counter below `next` is used; nil when no counter is left.
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
  /// Returns the position of the oldest valid key and the counter of its next payment; nil when no use is left.
  ///
  /// - Parameters:
  ///   - next: The lowest counter that no payment has used.
  ///   - moment: The date by which keys expire.
  package func nextUse(from next: Int, at moment: WallTime) -> (place: Int, counter: UInt16)? {
    for (place, batch) in enumerated() where !batch.isExpired(at: moment) {
      if let counter = batch.counters(from: next)?.lowerBound { return (place, UInt16(clamping: counter)) }
    }
    return nil
  }

  /// Returns the remaining uses, in the order of the keys. Consecutive keys of one kind and expiry are added up.
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

  /// Returns the lowest counter above all that were used or provisioned, with which an issuer continues; 65536 when no
  /// counter is left.
  package func freeCounter(from next: Int) -> Int {
    reduce(next) { free, batch in
      switch batch.kind {
      case .singleUse: Swift.max(free, batch.firstCounter + 1)
      case .limitedUse: Swift.min(Swift.max(free, batch.firstCounter) + batch.usesLeft, KeyBatch.lastCounter + 1)
      }
    }
  }
}

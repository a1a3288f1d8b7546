internal import DeviceAuthentication
internal import EMVCard
internal import Octets

/// One verification of the cardholder, redeemed: it allows one use of the card, once.
///
/// Only a redeemed verification yields a permit, and arming a use consumes it. What remains is a `UsedPermit`, which
/// yields the permit of a further use only for the terms of the first cryptogram and only as often as the session
/// allows. So the number of cryptograms of one verification is limited by the types.
struct Permit: ~Copyable, Sendable {
  private let grant: Grant

  /// Redeems a verification.
  ///
  /// - Parameters:
  ///   - verification: The verification; it is used up.
  ///   - nonce: The nonce of the session for which the cardholder verified. Another nonce traps.
  ///   - furtherUses: The number of further uses after a first cryptogram, 0 or more.
  init(redeeming verification: consuming CardholderVerification, nonce: [UInt8], furtherUses: Int) {
    let cardholder = verification.redeem(nonce: nonce)
    grant = Grant(
      method: DeviceVerificationMethod(cardholder), deadline: cardholder.deadline, furtherUses: furtherUses,
      furtherUsesLeft: furtherUses)
  }

  fileprivate init(_ grant: Grant) { self.grant = grant }

  /// Binds reserved uses, one per application of the ordered card, to the verification.
  consuming func arm(_ uses: consuming ReservedUses, for order: StartedPayment) -> ArmedUse {
    let reservation = Reservation(id: uses.id, counters: uses.counters)
    let signingKey = uses.signingKey?.duplicate()
    let arming = Arming(
      for: order.card.image, keys: uses.keys, method: grant.method, counters: reservation.counters,
      deadline: grant.deadline, walletData: order.walletData, terms: grant.terms, signingKey: signingKey)
    return ArmedUse(arming: arming, payment: ArmedPayment(permit: UsedPermit(grant: grant), reservation: reservation))
  }
}

extension DeviceVerificationMethod {
  init(_ cardholder: VerifiedCardholder) {
    switch (cardholder.method, cardholder.biometric) {
    case (.passcode, _): self = .passcode
    case (.biometric, .face): self = .face
    case (.biometric, _): self = .finger
    }
  }
}

/// The parts that arming a use yields: the arming goes to the card, the rest stays with the session.
struct ArmedUse: ~Copyable, Sendable {
  let arming: Arming
  let payment: ArmedPayment
}

/// What a verification allows. Only the permits of this file, which cannot be copied, carry it.
private struct Grant: Sendable {
  let method: DeviceVerificationMethod
  /// The last instant at which the card may begin to pay.
  let deadline: Instant
  let furtherUses: Int
  var furtherUsesLeft: Int
  /// The terms of the first cryptogram; nil before it.
  var terms: PaymentTerms?
}

/// A permit whose use was armed.
struct UsedPermit: ~Copyable, Sendable {
  fileprivate let grant: Grant

  /// The last instant at which the card may begin to pay.
  var deadline: Instant { grant.deadline }

  /// Yields the permit of a further use, after a cryptogram and a loss of the field.
  ///
  /// - Parameter latest: The terms of that cryptogram. The terms of the first cryptogram stay in force.
  /// - Throws: `FurtherUseRefusal.noneLeft` when the session allows no further use. The permit is used up then.
  consuming func renewed(afterCryptogramFor latest: PaymentTerms) throws(FurtherUseRefusal) -> Permit {
    guard grant.furtherUsesLeft > 0 else { throw .noneLeft(limit: grant.furtherUses) }
    var next = grant
    next.furtherUsesLeft -= 1
    next.terms = next.terms ?? latest
    return Permit(next)
  }
}

/// The reserved uses that the card holds, one per application, until they are settled in the store.
struct Reservation: ~Copyable, Sendable {
  let id: ReservationID
  /// The transaction counters, tag 9F36, one per application.
  let counters: [UInt16]

  /// Whether a cryptogram was computed with a use of this reservation. A card reports its latest cryptogram until it is
  /// armed again, so the record can belong to an earlier reservation.
  borrowing func isSpent(by record: TransactionRecord) -> Bool {
    counters[record.application] == record.transactionCounter
  }

  /// The settlement in the store: the use with which the card computed is spent, the others are released.
  consuming func settled(by record: TransactionRecord?) -> Settlement {
    guard let record, isSpent(by: record) else { return Settlement(id: id, spent: []) }
    return Settlement(id: id, spent: [record.application], state: record.state)
  }
}

/// The end of a reservation, for the store.
struct Settlement: Equatable, Sendable {
  let id: ReservationID
  /// The applications whose use is spent, by their position in the image.
  let spent: Set<Int>
  /// What the payment leaves in the card; nil for nothing.
  var state: CardState?
}

internal import DeviceAuthentication
internal import EMVCard
internal import EMVData
internal import Octets

/// One verification of the cardholder, redeemed: it allows one use of the card, once.
///
/// Only a redeemed verification yields a permit, and arming a use consumes it. What remains is a `UsedPermit`, which
/// yields the permit of a further use only for the application and the terms of the first cryptogram, only when the issuer
/// decides about that, and only as often as the session allows. So the number of cryptograms of one verification is limited by the types.
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
    let image = order.card.image
    // Read before the keys are taken out of the uses: the compiler (6.3) passes wrong keys otherwise.
    let state = uses.cardState ?? CardState(of: image)
    let offline = uses.offline.isEmpty ? image.applications.map { _ in OfflineApprovals.none } : uses.offline
    let arming = Arming(
      for: image, keys: uses.keys, method: grant.method, counters: reservation.counters,
      deadline: grant.deadline, walletData: order.walletData, terms: grant.first?.terms,
      application: grant.first?.application, signingKey: signingKey, state: state, offline: offline)
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
  /// The first cryptogram; nil before it.
  var first: SpentCryptogram?
}

/// What a cryptogram means for further uses.
struct SpentCryptogram: Equatable, Sendable {
  /// The application that gave it, by its position in the image.
  let application: Int
  let terms: PaymentTerms
  /// Why no further use follows: the card has approved or declined the payment by itself. Nil while the issuer decides.
  let refusal: FurtherUseRefusal?

  init(_ record: TransactionRecord) {
    (application, terms) = (record.application, record.terms)
    let type: CryptogramType? =
      switch record.kind {
      case .applicationCryptogram(let first): record.issuer?.second?.type ?? first
      case .cryptographicChecksum: nil
      }
    refusal =
      switch type {
      case .tc?: .approved
      case .aac?: .declined
      case .arqc?, nil: nil
      }
  }
}

/// A permit whose use was armed.
struct UsedPermit: ~Copyable, Sendable {
  fileprivate let grant: Grant

  /// The last instant at which the card may begin to pay.
  var deadline: Instant { grant.deadline }

  /// Yields the permit of a further use, after a cryptogram and a loss of the field.
  ///
  /// - Parameter latest: That cryptogram. The application and the terms of the first one stay in force.
  /// - Throws: `FurtherUseRefusal.approved` and `.declined` after a TC and an AAC, and `.noneLeft` when the session allows no
  ///   further use. The permit is used up then.
  consuming func renewed(after latest: SpentCryptogram) throws(FurtherUseRefusal) -> Permit {
    if let refusal = latest.refusal { throw refusal }
    guard grant.furtherUsesLeft > 0 else { throw .noneLeft(limit: grant.furtherUses) }
    var next = grant
    next.furtherUsesLeft -= 1
    next.first = next.first ?? latest
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
    return Settlement(id: id, spent: [record.application], offline: record.offline)
  }
}

/// The end of a reservation, for the store.
struct Settlement: Equatable, Sendable {
  let id: ReservationID
  /// The applications whose use is spent, by their position in the image.
  let spent: Set<Int>
  /// What the payment changes in the offline approvals of these applications.
  var offline = OfflineOutcome.none
}

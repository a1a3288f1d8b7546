internal import DeviceAuthentication
internal import EMVCard
internal import Octets

/// One verification of the cardholder, redeemed: it allows one use of the card, once.
///
/// Only a redeemed verification yields a permit, and arming a use consumes it. What remains is a `UsedPermit`, which
/// yields the permit of a further use only for the terms of the first cryptogram and only as often as the session
/// allows. So the number of cryptograms of one verification is limited by the types.
struct Permit: ~Copyable, Sendable {
  private let method: DeviceVerificationMethod
  private let deadline: Instant
  private let furtherUses: Int
  private let furtherUsesLeft: Int
  /// The terms of the first cryptogram; nil before it.
  private let terms: PaymentTerms?

  /// Redeems a verification.
  ///
  /// - Parameters:
  ///   - verification: The verification; it is used up.
  ///   - nonce: The nonce of the session for which the cardholder verified. Another nonce traps.
  ///   - furtherUses: The number of further uses after a first cryptogram, 0 or more.
  init(redeeming verification: consuming CardholderVerification, nonce: [UInt8], furtherUses: Int) {
    let cardholder = verification.redeem(nonce: nonce)
    method = DeviceVerificationMethod(cardholder)
    deadline = cardholder.deadline
    self.furtherUses = furtherUses
    furtherUsesLeft = furtherUses
    terms = nil
  }

  fileprivate init(_ used: consuming UsedPermit, terms: PaymentTerms) {
    method = used.method
    deadline = used.deadline
    furtherUses = used.furtherUses
    furtherUsesLeft = used.furtherUsesLeft - 1
    self.terms = terms
  }

  /// Binds reserved uses to the verification.
  ///
  /// - Parameters:
  ///   - uses: One reserved use per application.
  ///   - image: The image of the card that is armed.
  ///   - walletData: The wallet's part of tag 9F10, 0...14 bytes.
  consuming func arm(_ uses: consuming ReservedUses, for image: CardImage, walletData: [UInt8]) -> ArmedUse {
    let reservation = Reservation(id: uses.id, counters: uses.counters)
    let used = UsedPermit(
      method: method, deadline: deadline, furtherUses: furtherUses, furtherUsesLeft: furtherUsesLeft, terms: terms)
    let signingKey = uses.signingKey?.duplicate()
    let arming = Arming(
      for: image, keys: uses.keys, method: method, counters: reservation.counters, deadline: deadline,
      walletData: walletData, terms: terms, signingKey: signingKey)
    return ArmedUse(arming: arming, reservation: reservation, permit: used)
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
  let reservation: Reservation
  let permit: UsedPermit
}

/// A permit whose use was armed.
struct UsedPermit: ~Copyable, Sendable {
  fileprivate let method: DeviceVerificationMethod
  /// The last instant at which the card may begin to pay.
  let deadline: Instant
  fileprivate let furtherUses: Int
  fileprivate let furtherUsesLeft: Int
  fileprivate let terms: PaymentTerms?

  /// Yields the permit of a further use, after a cryptogram and a loss of the field.
  ///
  /// - Parameter latest: The terms of that cryptogram. The terms of the first cryptogram stay in force.
  /// - Throws: `FurtherUseRefusal.noneLeft` when the session allows no further use. The permit is used up then.
  consuming func renewed(afterCryptogramFor latest: PaymentTerms) throws(FurtherUseRefusal) -> Permit {
    guard furtherUsesLeft > 0 else { throw .noneLeft(limit: furtherUses) }
    let terms = terms ?? latest
    return Permit(self, terms: terms)
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

internal import EMVCard
internal import Links

/// What was chosen when the payment was started. It is held until the session and its link have ended.
struct StartedPayment: Sendable {
  let card: DigitalCard
  /// The wallet's part of tag 9F10, 0...14 bytes.
  let walletData: [UInt8]
  /// Keeps other payments of the wallet out.
  let claim: PaymentClaim
}

/// The card on its link.
struct Presentation: Sendable {
  let link: any EmulationLink
  /// Receives the notices of the card; it ends after the link has ended.
  let listener: Task<Void, Never>
}

struct RequiredAuthentication: Sendable {
  let order: StartedPayment
  /// The link on which commands are held; nil before the card is presented.
  var presentation: Presentation?
}

struct RunningAuthentication: Sendable {
  let order: StartedPayment
  /// The link on which commands are held; nil before the card is presented.
  var presentation: Presentation?
  /// The verification; cancelled when the session ends.
  let verification: Task<Void, Never>
}

struct ArmedPayment: ~Copyable, Sendable {
  let order: StartedPayment
  let permit: UsedPermit
  let reservation: Reservation
}

struct EmulatedPayment: ~Copyable, Sendable {
  let payment: ArmedPayment
  let presentation: Presentation
  /// Whether a terminal has sent a command since it came.
  var isConnected = false
  /// How often a terminal left before the payment was complete.
  var interruptions = 0
}

struct SpentPayment: ~Copyable, Sendable {
  let order: StartedPayment
  let permit: UsedPermit
  /// The terms of the latest cryptogram.
  let terms: PaymentTerms
  let presentation: Presentation
  let interruptions: Int
}

struct RenewedPayment: ~Copyable, Sendable {
  let order: StartedPayment
  let permit: Permit
  let presentation: Presentation
  let interruptions: Int
}

struct EndedPayment: ~Copyable, Sendable {
  /// What was paid, until the link has ended: other payments of the wallet stay out. Nil when the card was on no link.
  var order: StartedPayment?
  /// The link on which the card still is or was; nil when it was on none.
  var presentation: Presentation?
  /// What the card may still compute with until its link has ended.
  var reservation: Reservation?
}

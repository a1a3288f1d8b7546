public import EMVCard
public import EMVIssuer
public import EMVTerminal
public import PaymentAcceptance
public import Transcripts

/// Payments with a card in this process. The host is the test issuer.
public struct LoopbackPlace: PaymentPlace {
  private let payment: LoopbackPayment
  private let isVerified: Bool
  private let faults: LoopbackPayment.Faults?
  private let known: [CardImage]
  private let keys: IssuerKeys

  /// Provisions the card.
  ///
  /// - Parameters:
  ///   - image: The card.
  ///   - payments: The least number of payments for which the card has keys.
  ///   - isVerified: Whether the cardholder is verified; otherwise the card can only refuse.
  ///   - faults: What the card does wrong; nil for a card without faults.
  ///   - known: Further cards that the host knows.
  ///   - keys: The keys of the issuer, from which the card's are derived.
  public init(
    image: CardImage, payments: Int = 1, isVerified: Bool = true, faults: LoopbackPayment.Faults? = nil,
    known: [CardImage] = [], keys: IssuerKeys = .publicTest
  ) async throws {
    payment = try await LoopbackPayment(image: image, leastUses: payments, keys: keys)
    self.keys = keys
    self.isVerified = isVerified
    self.faults = faults
    self.known = known + [image]
  }

  /// The thread of this place, on which it takes every payment of a card without faults.
  public var executor: (any TaskExecutor)? { payment.executor }

  /// False: no person holds the card.
  public var isAttended: Bool { false }
  /// Nil.
  public var recording: Transcript? { nil }

  /// The test issuer, which knows the card.
  public func host() -> any AuthorizationHost { TestIssuerHost(knowing: known, keys: keys) }

  /// What the issuer has done to the card.
  public func cardCondition() async throws -> CardCondition? { try await payment.cardCondition() }

  /// Presents the card and takes a payment.
  public func take(_ request: PaymentRequest, at terminal: PaymentAcceptance) async throws -> PaymentReceipt {
    guard isVerified else { return try await payment.refusal(of: request, at: terminal).get() }
    return try await payment.run(request, at: terminal, faults: faults).result.get()
  }
}

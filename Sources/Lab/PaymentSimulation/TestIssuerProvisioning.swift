public import ContactlessPayment
public import EMVCard
internal import EMVCryptography
public import EMVIssuer
public import Octets

/// The test issuer as a wallet's provisioning service.
public struct TestIssuerProvisioning: ReplenishmentService {
  /// The issuer.
  public let issuer: TestIssuer
  /// The kind of the new keys; nil for the kind of each application's latest keys.
  public var kind: PaymentKeyKind?
  /// The number of payments for which the keys are good; nil for the number in the card's profile.
  public var uses: Int?
  /// The least number of payments, whatever the profile has.
  public var leastUses: Int
  /// The moment at which the keys expire; nil for never.
  public var expiry: WallTime?
  /// The counters that were granted before; nil for an issuer that knows those of this process only.
  public var counters: (any CounterBook)?

  /// Creates a service.
  public init(
    issuer: TestIssuer = TestIssuer(), kind: PaymentKeyKind? = nil, uses: Int? = nil, leastUses: Int = 1,
    expiry: WallTime? = nil
  ) {
    self.issuer = issuer
    self.kind = kind
    self.uses = uses
    self.leastUses = leastUses
    self.expiry = expiry
  }

  /// Returns new keys for a card of a wallet.
  ///
  /// - Throws: `ReplenishmentServiceError.declined` when the issuer cannot make such keys.
  public func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys] {
    do {
      return try keys(for: card.image, notBelow: card.freeCounters, latest: card.keyKinds)
    } catch { throw .declined("\(error)") }
  }

  /// Returns keys for the applications of an image.
  ///
  /// - Parameters:
  ///   - free: The lowest transaction counter that each application may begin with; empty for a new card.
  ///   - latest: The kind of each application's latest keys; empty for a new card.
  /// - Throws: `WalletStoreError` for single-use keys that are too many or that the cryptogram version does not have,
  ///   and
  ///   the issuer's error when its counters are used up.
  public func keys(
    for image: CardImage, notBelow free: [Int] = [], latest: [PaymentKeyKind] = []
  ) throws -> [PaymentKeys] {
    try image.applications.enumerated().map { place, application in
      let account = IssuerAccount(application)
      issuer.enrol(account)
      let least = place < free.count ? free[place] : 1
      let grant = try grant(uses(of: application), to: account, notBelow: least)
      switch kind ?? (place < latest.count ? latest[place] : .limitedUse) {
      case .limitedUse: return .limitedUse(limitedUseKey(application, account, grant))
      case .singleUse: return .singleUse(try singleUseKeys(application, account, grant))
      }
    }
  }

  /// Checks that keys for an image can be made. Makes none.
  ///
  /// - Throws: `WalletStoreError` for single-use keys that are too many or that the cryptogram version does not have.
  public func check(_ image: CardImage) throws(WalletStoreError) {
    guard kind == .singleUse else { return }
    for application in image.applications {
      guard uses(of: application) <= PaymentKeys.maximumSingleUseCount else {
        throw .tooManyKeys(limit: PaymentKeys.maximumSingleUseCount)
      }
      guard !application.cryptogramVersion.needsUnpredictableNumber else {
        throw .singleUseKeysImpossible(application.cryptogramVersion)
      }
    }
  }

  private func uses(of application: CardImage.Application) -> Int {
    max(uses ?? application.uses, min(leastUses, 0xFFFF))
  }

  private func grant(_ uses: Int, to account: IssuerAccount, notBelow least: Int) throws -> KeyGrant {
    guard let counters else { return try issuer.grant(uses, to: account, notBelow: least) }
    return try counters.grant(to: account) { free in
      try issuer.grant(uses, to: account, notBelow: max(least, free))
    }
  }

  /// Returns the signing key of a card that the test authority certified; nil for a card that makes no signatures. The
  /// wallet compares it with the certificate.
  public func signingKey(for image: CardImage) -> CardSigningKey? {
    guard let application = image.applications.first(where: { $0.signingKey != nil }),
      let key = TestAuthority.cardKey(of: application)
    else { return nil }
    return CardSigningKey(key)
  }

  private func limitedUseKey(
    _ application: CardImage.Application, _ account: IssuerAccount, _ grant: KeyGrant
  ) -> LimitedUseKey {
    LimitedUseKey(
      masterKey: issuer.cardMasterKey(of: account),
      cvc3Key: account.magStripe.map { _ in issuer.cardCVC3Key(of: account) },
      scriptKey: application.takesScripts ? issuer.cardScriptKey(of: account) : nil, firstCounter: grant.firstCounter,
      uses: grant.uses, expiry: expiry)
  }

  private func singleUseKeys(
    _ application: CardImage.Application, _ account: IssuerAccount, _ grant: KeyGrant
  ) throws -> [SingleUseKey] {
    // Checked before the keys are made: each takes locked memory of its own.
    guard grant.uses <= PaymentKeys.maximumSingleUseCount else {
      throw WalletStoreError.tooManyKeys(limit: PaymentKeys.maximumSingleUseCount)
    }
    return try grant.counters.map { counter in
      guard let key = issuer.sessionKey(of: account, counter: counter) else {
        throw WalletStoreError.singleUseKeysImpossible(application.cryptogramVersion)
      }
      return SingleUseKey(sessionKey: key, counter: counter, expiry: expiry)
    }
  }
}

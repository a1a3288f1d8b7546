public import ArgumentParser
public import ContactlessPayment
import EMVCard
import EMVIssuer
import Octets

extension PaymentKeyKind: ExpressibleByArgument {
  /// As in `single-use`.
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = kind
  }

  /// As in `single-use`.
  public static var allValueStrings: [String] { allCases.map(\.argument) }

  var argument: String {
    switch self {
    case .limitedUse: "limited-use"
    case .singleUse: "single-use"
    }
  }
}

/// The test issuer behind the wallet's port: the one place where both are seen.
struct TestIssuerProvisioning: ReplenishmentService {
  let issuer: TestIssuer
  /// The kind of the new keys; nil for that of the card's latest.
  var kind: PaymentKeyKind?
  /// For how many payments; nil for what the profile says.
  var uses: Int?
  /// At least so many, whatever the profile says.
  var leastUses = 1
  /// From when on they count as none.
  var expiry: WallTime?

  init(
    issuer: TestIssuer = TestIssuer(), kind: PaymentKeyKind? = nil, uses: Int? = nil, leastUses: Int = 1,
    expiry: WallTime? = nil
  ) {
    self.issuer = issuer
    self.kind = kind
    self.uses = uses
    self.leastUses = leastUses
    self.expiry = expiry
  }

  func paymentKeys(
    for card: DigitalCard, isForced: Bool
  ) async throws(ReplenishmentServiceError) -> [PaymentKeys] {
    do {
      return try keys(for: card.image, notBelow: card.freeCounters, latest: card.keys.last?.kind)
    } catch { throw .declined("\(error)") }
  }

  /// Keys for the applications of an image.
  ///
  /// - Parameters:
  ///   - free: The lowest counter that each may begin with; none for a new card.
  ///   - latest: The kind that the card has had.
  func keys(for image: CardImage, notBelow free: [Int] = [], latest: PaymentKeyKind? = nil) throws -> [PaymentKeys] {
    try image.applications.enumerated().map { place, application in
      let account = IssuerAccount(application)
      issuer.enrol(account)
      let least = place < free.count ? free[place] : 1
      let grant = try issuer.grant(max(uses ?? application.uses, min(leastUses, 0xFFFF)), to: account, notBelow: least)
      switch kind ?? latest ?? .limitedUse {
      case .limitedUse: return .limitedUse(limitedUseKey(account, grant))
      case .singleUse: return .singleUse(try singleUseKeys(application, account, grant))
      }
    }
  }

  private func limitedUseKey(
    _ account: IssuerAccount, _ grant: KeyGrant
  ) -> LimitedUseKey {
    LimitedUseKey(
      masterKey: issuer.cardMasterKey(of: account),
      cvc3Key: account.magStripe.map { _ in issuer.cardCVC3Key(of: account) }, firstCounter: grant.firstCounter,
      uses: grant.uses, expiry: expiry)
  }

  private func singleUseKeys(
    _ application: CardImage.Application, _ account: IssuerAccount, _ grant: KeyGrant
  ) throws -> [SingleUseKey] {
    // Refused before they are made: each lies in locked memory of its own.
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

extension IssuerAccount {
  /// The issuer's view of an application.
  init(_ application: CardImage.Application) {
    let magStripe = application.track2Data.flatMap { track in
      application.track2Positions.map { MagStripe(track: track, positions: $0) }
    }
    self.init(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
      cryptogramVersion: application.cryptogramVersion, firstCounter: application.firstATC, magStripe: magStripe)
  }
}

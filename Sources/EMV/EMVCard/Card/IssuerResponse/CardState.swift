public import EMVData
public import ISO7816

/// What the issuer and the payments before have changed in a card, and what outlasts a payment. Never secret.
///
/// A wallet stores it with the card; `Card` starts from it and reports what changes: a `CardStateChange` for each script, and an
/// `OfflineOutcome` for each payment.
public struct CardState: Equatable, Sendable {
  /// The changes of one application.
  public struct Application: Equatable, Sendable {
    /// Whether its issuer has blocked it (APPLICATION BLOCK): it declines every payment.
    public var isBlocked = false
    /// The payments that it has approved offline since its issuer was last authenticated.
    public var offline = OfflineApprovals.none
    /// The values that PUT DATA has written, by tag. Those of tags that the card no longer lets be written have no effect.
    public var data: [Tag: [UInt8]] = [:]

    /// No changes.
    public init() {}
  }

  /// The applications, in the order of the image.
  public var applications: [Application]
  /// Whether its issuer has blocked the whole card (CARD BLOCK): it refuses every command, for good.
  public var isBlocked = false

  /// Whether its issuer has blocked it, or one of its applications.
  public var isBlockedByIssuer: Bool { isBlocked || applications.contains(where: \.isBlocked) }

  /// The state of a card as its issuer made it.
  public init(of image: CardImage) { self.init(applicationCount: image.applications.count) }

  init(applicationCount: Int) { applications = Array(repeating: Application(), count: applicationCount) }
}

/// What a card has received of its issuer's response to a first cryptogram.
public struct IssuerOutcome: Equatable, Sendable {
  /// What became of the issuer's authentication.
  public var authentication = IssuerAuthentication.notPerformed
  /// The second cryptogram; nil when the terminal asked for none.
  public var second: SecondCryptogram?

  /// The cryptogram of the second GENERATE AC.
  public struct SecondCryptogram: Equatable, Sendable {
    /// TC or AAC.
    public let type: CryptogramType
    /// Tag 9F26.
    public let cryptogram: UInt64
  }
}

extension CardState {
  /// Counts what a payment of an application has changed. An application that the card does not have counts nothing.
  public mutating func count(_ outcome: OfflineOutcome, of application: Int) {
    switch outcome {
    case .none: break
    case .approved(let amount): count(OfflineApprovals(count: 1, amount: amount), of: application)
    case .issuerAuthenticated:
      if applications.indices.contains(application) { applications[application].offline = .none }
    }
  }

  /// Counts payments that an application has approved, or may have approved, without its issuer.
  public mutating func count(_ approvals: OfflineApprovals, of application: Int) {
    if applications.indices.contains(application) { applications[application].offline += approvals }
  }
}

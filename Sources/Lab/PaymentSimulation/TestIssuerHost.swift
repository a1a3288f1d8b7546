public import EMVCard
internal import EMVCryptography
public import EMVData
public import EMVIssuer
public import EMVTerminal
public import PaymentAcceptance

/// The test issuer as a terminal's host: it checks cryptograms and transaction counters.
public struct TestIssuerHost: AuthorizationHost {
  private let issuer: TestIssuer
  private let keys: IssuerKeys

  /// Creates a host that knows the cards of some images.
  ///
  /// - Parameter keys: The keys of the issuer; the public test keys when left out.
  public init(knowing images: [CardImage], keys: IssuerKeys = .publicTest) {
    issuer = TestIssuer(keys: keys)
    self.keys = keys
    for application in images.flatMap(\.applications) { issuer.enrol(IssuerAccount(application)) }
  }

  /// Decides on an online request. An approval has the transaction counter as its authorisation code, and tag 91. Scripts
  /// that were ordered for the card go with an approval, and with a refusal of a genuine card.
  public func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    switch decision(on: request) {
    case .approved(let authenticationData):
      let digits = String(request.transactionCounter)
      return .approved(
        code: String(repeating: "0", count: 6 - digits.count) + digits,
        IssuerData(
          responseCode: Array("00".utf8), authenticationData: authenticationData, scripts: scripts(for: request)))
    case .declined(let reason):
      let data = IssuerData(
        responseCode: Array("05".utf8), scripts: reason.isOfGenuineCard ? scripts(for: request) : [])
      return .declined(reason: "\(reason)", data)
    case .unknownCard: return enrolAndAuthorize(request)
    }
  }

  /// Returns this issuer with a response that a test orders.
  public func ordered(_ order: IssuerOrder) -> any AuthorizationHost { OrderedIssuerHost(host: self, order: order) }

  /// Sends a script with the response to the next genuine payment of a card.
  public func order(_ order: ScriptOrder, accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?) {
    issuer.order(order, accountNumber: accountNumber, sequenceNumber: sequenceNumber)
  }

  private func scripts(for request: AuthorizationRequest) -> [UInt8] {
    issuer.takeScripts(
      accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first,
      data: request.value)
  }

  private func decision(on request: AuthorizationRequest) -> TestIssuer.Decision {
    if let magStripe = MagStripeData(request) {
      return issuer.authorizeMagStripe(track2: magStripe.track2, on: request.payment.date)
    }
    return issuer.authorize(
      accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first,
      data: request.value)
  }

  // A card that is not enrolled may still have keys of the test issuer: then its cryptogram is right.
  private func enrolAndAuthorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    let unknown = AuthorizationResponse.unknownCard(reason: "the test issuer does not know this card")
    let versions = CryptogramVersion.PaymentSystem.allCases.compactMap {
      CryptogramVersion.named(by: request.issuerApplicationData, of: $0)
    }
    guard let account = versions.lazy.map({ account(of: request, $0) }).first(where: { isGenuine(request, of: $0) })
    else { return unknown }
    issuer.enrol(account)
    return authorize(request)
  }

  private func account(of request: AuthorizationRequest, _ version: CryptogramVersion) -> IssuerAccount {
    IssuerAccount(
      accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first ?? 0,
      cryptogramVersion: version)
  }

  private func isGenuine(_ request: AuthorizationRequest, of account: IssuerAccount) -> Bool {
    let trial = TestIssuer(keys: keys)
    trial.enrol(account)
    let decision = trial.authorize(
      accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber, data: request.value)
    if case .approved = decision { return true }
    return false
  }
}

extension TestIssuer.Reason {
  // Whether the cryptogram is the card's: only then does the card take a script.
  fileprivate var isOfGenuineCard: Bool {
    switch self {
    case .declinedByCard, .expired: true
    default: false
    }
  }
}

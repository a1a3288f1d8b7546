import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import EMVTerminal
import PaymentAcceptance

/// The test issuer as a terminal's host.
struct IssuerHost: AuthorizationHost {
  private let issuer: TestIssuer

  /// An issuer that knows the cards of some images.
  init(knowing images: [CardImage]) {
    issuer = TestIssuer()
    for application in images.flatMap(\.applications) { issuer.enrol(IssuerAccount(application)) }
  }

  func authorize(_ request: AuthorizationRequest) -> AuthorizationAnswer {
    switch decision(on: request) {
    case .approved:
      let digits = String(request.transactionCounter)
      return .approved(code: String(repeating: "0", count: 6 - digits.count) + digits)
    case .declined(let reason): return .declined(reason: "\(reason)")
    case .unknownCard: return introduce(request)
    }
  }

  private func decision(on request: AuthorizationRequest) -> TestIssuer.Decision {
    if let magStripe = MagStripeData(request) { return issuer.authorizeMagStripe(track2: magStripe.track2) }
    return issuer.authorize(
      accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first,
      data: request.value)
  }

  /// A card that is not in the books may still be the test issuer's: its cryptogram then comes from the test key.
  private func introduce(_ request: AuthorizationRequest) -> AuthorizationAnswer {
    let unknown = AuthorizationAnswer.unknownCard(reason: "the test issuer does not know this card")
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
    let trial = TestIssuer()
    trial.enrol(account)
    let decision = trial.authorize(
      accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber, data: request.value)
    if case .approved = decision { return true }
    return false
  }
}

import EMVCard
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
    let decision = issuer.authorize(
      accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first,
      data: request.value)
    switch decision {
    case .approved:
      let digits = String(request.transactionCounter)
      return .approved(code: String(repeating: "0", count: 6 - digits.count) + digits)
    case .declined(let reason): return .declined(reason: "\(reason)")
    case .unknownCard: return .unknownCard(reason: "the test issuer does not know this card")
    }
  }
}

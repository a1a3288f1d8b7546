internal import EMVData
internal import ISO7816

// What kernel 3 makes of the data of a card that has been read (EMV Contactless Book C-3 v2.11, 5.4 to 5.9), as far as
// an online authorisation.
enum Kernel3 {
  enum Verdict {
    case online(KernelDecision)
    case declined(KernelDecision, StepFailure)
    case ended(StepFailure)
  }

  static func decide(
    _ card: CardData, _ terminal: TerminalData, _ application: SelectedApplication, _ request: PaymentRequest
  ) -> Verdict {
    let facts: CardFacts
    do throws(StepFailure) {
      facts = try CardFacts(card)
    } catch { return .ended(error) }
    let reader = application.candidate.combination.qualifiers
    func decision(_ verification: VerificationMethod) -> KernelDecision {
      KernelDecision(
        verification: verification,
        authorizationRequest: AuthorizationRequest(facts, card, terminal, verification, request))
    }
    do throws(StepFailure) {
      try dispose(facts, reader, request.date)
      return .online(
        decision(
          try CardholderVerification.decide(
            reader: reader, card: facts.qualifiers, relatedData: facts.relatedData, cryptogram: facts.cryptogramType)))
    } catch { return .declined(decision(.none), error) }
  }

  // 5.4.3.2 and 5.5.1: returns when the payment goes online.
  private static func dispose(
    _ facts: CardFacts, _ reader: TerminalTransactionQualifiers, _ today: TransactionDate
  ) throws(StepFailure) {
    switch facts.cryptogramType {
    case .arqc: return
    case .aac: throw StepFailure(.decision, .declinedByCard)
    case .tc where reader.contains(.onlineCryptogramRequired):
      throw StepFailure(.decision, .offlineApprovalNotAsked)
    case .tc:
      let verdict = ProcessingRestrictions.check(
        cryptogram: .tc, expiry: facts.expiry, today: today, card: facts.qualifiers)
      switch verdict {
      case .goOnline: return
      case .expired: throw StepFailure(.decision, .expired)
      case .passed: throw StepFailure(.decision, .offlineApprovalNotProved)
      }
    }
  }
}

// A payment that kernel 3 has decided on.
struct KernelDecision: Hashable {
  let verification: VerificationMethod
  let authorizationRequest: AuthorizationRequest
}

internal import AccessMessages
internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import HTTPSTransport
internal import Links
internal import Octets
internal import PaymentAcceptance

/// The issuer of a server, as a till reaches it.
struct SimulatedIssuerHost: AuthorizationHost {
  let issuer: TerminalIssuer

  init(_ server: SimulatedServer, over network: SimulatedNetwork) {
    issuer = TerminalIssuer(server: server.origin, over: NetworkPlace(network: network, phone: nil))
  }

  /// Asks the issuer. Blocks the thread of the terminal.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    let body = PaymentAuthorizationRequest(
      accountNumber: request.accountNumber.exposedDigits,
      elements: Dictionary(request.elements.map { ("\($0.tag)", $0.value) }) { first, _ in first })
    let answer = WaitableState<AuthorizationResponse?>(nil)
    Task {
      do throws(TerminalIssuer.Failure) {
        let response = AuthorizationResponse(try await issuer.authorize(body))
        answer.update { $0 = response }
      } catch {
        answer.update { $0 = .unknownCard(reason: error.code) }
      }
    }
    return answer.wait { $0 } ?? .unknownCard(reason: "no answer")
  }
}

extension AuthorizationResponse {
  fileprivate init(_ answer: PaymentAuthorization) {
    let reason = answer.reason ?? ""
    let decision: Decision =
      switch answer.decision {
      case .approved: .approved(code: answer.authorizationCode ?? "000000")
      case .declined: .declined(reason: reason)
      case .unknownCard: .unknownCard(reason: reason)
      }
    self.init(
      decision,
      issuerData: IssuerData(
        responseCode: Array(answer.responseCode.utf8), authenticationData: answer.authenticationData,
        scripts: answer.scripts))
  }
}

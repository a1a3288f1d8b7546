internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import Links
internal import PaymentAcceptance

/// The test issuer with a response that a test orders.
struct OrderedIssuerHost: AuthorizationHost {
  let host: TestIssuerHost
  let order: IssuerOrder

  /// Decides as the test issuer does, then changes the response as ordered.
  func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse {
    for script in order.scripts {
      host.order(
        script, accountNumber: request.accountNumber, sequenceNumber: request.value(.panSequenceNumber)?.first)
    }
    pause(for: .milliseconds(order.delayMilliseconds))
    let response = host.authorize(request)
    guard case .approved(let code) = response.decision else { return response }
    let data = response.issuerData
    let changed = IssuerData(
      responseCode: order.declines ? Array("05".utf8) : data.responseCode,
      authenticationData: authenticationData(data.authenticationData),
      scripts: data.scripts.encoded + order.templates)
    return order.declines ? .declined(reason: "as the test orders", changed) : .approved(code: code, changed)
  }

  private func authenticationData(_ right: [UInt8]?) -> [UInt8]? {
    switch order.authentication {
    // The response cryptogram covers the code of an approval.
    case .right: order.declines ? nil : right
    case .wrong: right.map { [$0[0] ^ 0x01] + $0.dropFirst() }
    case .none: nil
    case .octets(let octets): octets
    }
  }
}

internal import Documents
package import FIDOUAF

/// The response of a client to a request of the relying party.
package struct ReceivedResponse: Sendable {
  /// The response.
  package let response: UAFResponse
  /// The final challenge parameters that the client has used.
  package let parameters: FinalChallengeParameters

  /// SHA-256 over the encoded final challenge parameters.
  var finalChallengeHash: [UInt8] { FinalChallengeParameters.hash(ofEncoded: response.finalChallengeParameters) }

  /// Reads a response. Nothing of it is verified: its challenge selects the request that it belongs to.
  ///
  /// - Throws: `CeremonyError` for another message, and for one that does not have the form of the protocol.
  package init(_ message: String, to operation: UAFOperation) throws(CeremonyError) {
    let message = try CeremonyError.refusing { () throws(UAFMessageError) in try UAFMessage(response: message) }
    switch (message, operation) {
    case (.registrationResponse(let response), .registration), (.authenticationResponse(let response), .authentication):
      self.response = response
    default: throw CeremonyError(.unacceptableContent, "the message is not a response of this operation")
    }
    let encoded = response.finalChallengeParameters
    parameters = try CeremonyError.refusing { () throws(DocumentError) in
      try FinalChallengeParameters(encoded: encoded, at: "$[0].fcParams")
    }
  }

  /// Verifies what registrations and authentications have in common (FIDO UAF Protocol Specification 1.1, sections 3.4.6.5 and
  /// 3.5.7.5): the header, the application, the facet, the channel, and the number of assertions.
  ///
  /// - Parameters:
  ///   - request: The header of the request.
  ///   - policy: The policy of the request.
  ///   - clients: The clients and connections from which a response is accepted.
  package func verify(
    against request: OperationHeader, _ policy: Policy, from clients: AcceptedClients
  ) throws(CeremonyError) {
    try verify(response.header, against: request, clients)
    guard clients.accepts(parameters.channelBinding) else {
      throw CeremonyError(.channelBindingRefused, "the channel binding is not that of this server")
    }
    let (count, limit) = (response.assertions.count, policy.accepted.map(\.count).max() ?? 0)
    guard count <= limit else {
      throw CeremonyError(
        .unacceptableContent, "the response has \(count) assertions: the policy uses at most \(limit)")
    }
    guard count > 0 else {
      throw CeremonyError(.unacceptableContent, "the client failed: the response has no assertions")
    }
  }

  private func verify(
    _ header: OperationHeader, against request: OperationHeader, _ clients: AcceptedClients
  ) throws(CeremonyError) {
    guard header.version == request.version, header.serverData == request.serverData else {
      throw CeremonyError(.unacceptableContent, "version and serverData must be those of the request")
    }
    guard !header.extensions.contains(where: \.failsIfUnknown) else {
      throw CeremonyError(.unacceptableContent, "the server does not know an extension that it must know")
    }
    // Without an application identifier in the request, the facet identifier takes its place (section 3.4.6.2).
    let requested = request.applicationID.flatMap { $0.isEmpty ? nil : $0 } ?? parameters.facetID
    guard parameters.applicationID == requested else {
      throw CeremonyError(.unacceptableContent, "fcParams has another appID than the request")
    }
    guard [requested, request.applicationID ?? ""].contains(header.applicationID ?? "") else {
      throw CeremonyError(.unacceptableContent, "the header has another appID than the request")
    }
    guard clients.trusts(facet: parameters.facetID) else {
      throw CeremonyError(.unacceptableContent, "the facetID is not in the list of trusted facets")
    }
  }
}

extension EncodedAssertion {
  /// Checks what stands beside an assertion.
  func checkSchemeAndExtensions() throws(CeremonyError) {
    guard scheme == Self.scheme else {
      throw CeremonyError(.unacceptableContent, "the scheme must be \(Self.scheme)")
    }
    guard !extensions.contains(where: \.failsIfUnknown) else {
      throw CeremonyError(.unacceptableContent, "the server does not know an extension that it must know")
    }
  }
}

extension [UInt8] {
  /// Turns an error of an assertion into a refusal.
  func reading<Value>(_ read: ([UInt8]) throws(AssertionError) -> Value) throws(CeremonyError) -> Value {
    do throws(AssertionError) {
      return try read(self)
    } catch {
      throw CeremonyError(error.code, error.reason)
    }
  }
}

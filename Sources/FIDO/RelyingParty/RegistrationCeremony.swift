package import FIDOUAF
internal import Octets

/// A registration (FIDO UAF Protocol Specification 1.1, section 3.4.6): the request to a client, and the decision on its
/// response.
package struct RegistrationCeremony {
  /// The request.
  package let request: RegistrationRequest

  /// The ceremony of a request that was sent.
  package init(_ request: RegistrationRequest) { self.request = request }

  /// Begins a registration.
  ///
  /// - Parameters:
  ///   - policy: The models that are accepted.
  ///   - registered: The keys of the user, which are not registered again.
  package init(
    of userName: String, _ header: OperationHeader, challenge: [UInt8], _ policy: NamedPolicy,
    excluding registered: [RegisteredKey]
  ) {
    request = RegistrationRequest(
      header: header, challenge: challenge, userName: userName,
      policy: policy.registrationPolicy(excluding: registered))
  }

  /// Verifies the assertions of a response whose common parts were verified (section 3.4.6.5). An assertion that breaks a rule is
  /// skipped.
  ///
  /// - Returns: The assertions that fulfil the policy: each has a new key.
  /// - Throws: `CeremonyError` of the first broken rule when no assertion is left.
  package func verify(_ received: ReceivedResponse) throws(CeremonyError) -> [RegistrationAssertion] {
    let hash = received.finalChallengeHash
    var firstRefusal: CeremonyError?
    var assertions: [RegistrationAssertion] = []
    for encoded in received.response.assertions {
      do throws(CeremonyError) {
        let assertion = try verify(encoded, hash)
        guard !assertions.contains(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }) else {
          throw CeremonyError(.unacceptableContent, "the response has one key twice")
        }
        assertions.append(assertion)
      } catch {
        firstRefusal = firstRefusal ?? error
      }
    }
    if let firstRefusal, assertions.isEmpty { throw firstRefusal }
    let candidates = assertions.compactMap { assertion in
      AuthenticatorMetadata.model(assertion.aaid).map {
        PolicyCandidate($0.authenticator(with: assertion.signatureAlgorithm), keyIDs: [assertion.keyID])
      }
    }
    guard let chosen = request.policy.choice(among: candidates) else {
      throw CeremonyError(.unacceptableAuthenticator, "the policy does not accept the authenticators of the response")
    }
    return chosen.map { assertions[$0] }
  }

  private func verify(
    _ encoded: EncodedAssertion, _ finalChallengeHash: [UInt8]
  ) throws(CeremonyError) -> RegistrationAssertion {
    try encoded.checkSchemeAndExtensions()
    let assertion = try encoded.octets.reading(RegistrationAssertion.init)
    guard let metadata = AuthenticatorMetadata.model(assertion.aaid) else {
      throw CeremonyError(.unknownAAID, "the AAID has no metadata")
    }
    guard constantTimeEqual(assertion.finalChallengeHash.span, finalChallengeHash.span) else {
      throw CeremonyError(.requestInvalid, "the hash in the assertion is not that of fcParams")
    }
    guard assertion.authenticatorVersion >= metadata.authenticator.version else {
      throw CeremonyError(.unacceptableAuthenticator, "the authenticator is older than its metadata")
    }
    let algorithm = AuthenticatorAlgorithm(
      signature: assertion.signatureAlgorithm, publicKey: assertion.publicKeyEncoding)
    guard metadata.algorithms.contains(algorithm) else {
      throw CeremonyError(.unacceptableAlgorithm, "the metadata of the authenticator does not have these algorithms")
    }
    // No model has root certificates, so that only surrogate attestation can be verified.
    guard case .surrogate(let signature) = assertion.attestation else {
      throw CeremonyError(.unacceptableAttestation, "the authenticator must attest its key by itself")
    }
    let key = try assertion.publicKey.reading { (octets) throws(AssertionError) in
      try RegisteredPublicKey(octets, assertion.publicKeyEncoding)
    }
    guard key.isValid(signature, assertion.signatureAlgorithm, over: assertion.signedOctets) else {
      throw CeremonyError(.unacceptableAttestation, "the signature of the attestation is wrong")
    }
    return assertion
  }
}

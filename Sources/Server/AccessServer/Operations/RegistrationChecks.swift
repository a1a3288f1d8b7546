internal import FIDOUAF
internal import Octets
internal import ServerStore

/// The checks of the assertions of a registration (FIDO UAF Protocol Specification 1.1, section 3.4.6.5).
struct RegistrationChecks {
  let request: RegistrationRequest
  let finalChallengeHash: [UInt8]

  /// The assertions that fulfil the policy. An assertion that breaks a rule is skipped.
  ///
  /// - Throws: `AccessError.uaf` of the first broken rule when no assertion is left.
  func accepted(_ encoded: [EncodedAssertion]) throws(AccessError) -> [RegistrationAssertion] {
    var firstRefusal: AccessError?
    var assertions: [RegistrationAssertion] = []
    for encoded in encoded {
      do throws(AccessError) {
        let assertion = try check(encoded)
        guard !assertions.contains(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }) else {
          throw .uaf(.unacceptableContent, "the response has one key twice")
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
      throw .uaf(.unacceptableAuthenticator, "the policy does not accept the authenticators of the response")
    }
    return chosen.map { assertions[$0] }
  }

  private func check(_ encoded: EncodedAssertion) throws(AccessError) -> RegistrationAssertion {
    try encoded.checkSchemeAndExtensions()
    let assertion = try encoded.octets.reading(RegistrationAssertion.init)
    guard let metadata = AuthenticatorMetadata.model(assertion.aaid) else {
      throw .uaf(.unknownAAID, "the AAID has no metadata")
    }
    guard constantTimeEqual(assertion.finalChallengeHash.span, finalChallengeHash.span) else {
      throw .uaf(.requestInvalid, "the hash in the assertion is not that of fcParams")
    }
    guard assertion.authenticatorVersion >= metadata.authenticator.version else {
      throw .uaf(.unacceptableAuthenticator, "the authenticator is older than its metadata")
    }
    let algorithm = AuthenticatorAlgorithm(
      signature: assertion.signatureAlgorithm, publicKey: assertion.publicKeyEncoding)
    guard metadata.algorithms.contains(algorithm) else {
      throw .uaf(.unacceptableAlgorithm, "the metadata of the authenticator does not have these algorithms")
    }
    // No model has root certificates, so that only surrogate attestation can be verified.
    guard case .surrogate(let signature) = assertion.attestation else {
      throw .uaf(.unacceptableAttestation, "the authenticator must attest its key by itself")
    }
    let key = try assertion.publicKey.reading { (octets) throws(AssertionError) in
      try RegisteredPublicKey(octets, assertion.publicKeyEncoding)
    }
    guard key.isValid(signature, assertion.signatureAlgorithm, over: assertion.signedOctets) else {
      throw .uaf(.unacceptableAttestation, "the signature of the attestation is wrong")
    }
    return assertion
  }
}

extension EncodedAssertion {
  /// Checks what stands beside an assertion.
  func checkSchemeAndExtensions() throws(AccessError) {
    guard scheme == Self.scheme else { throw .uaf(.unacceptableContent, "the scheme must be \(Self.scheme)") }
    guard !extensions.contains(where: \.failsIfUnknown) else {
      throw .uaf(.unacceptableContent, "the server does not know an extension that it must know")
    }
  }
}

extension [UInt8] {
  /// Turns an error of an assertion into a refusal.
  func reading<Value>(_ read: ([UInt8]) throws(AssertionError) -> Value) throws(AccessError) -> Value {
    do throws(AssertionError) {
      return try read(self)
    } catch {
      throw .uaf(error.code, error.reason)
    }
  }
}

package import FIDOUAF
internal import Octets

/// An authentication (FIDO UAF Protocol Specification 1.1, section 3.5.7): the request to a client, and the decision on its
/// response.
package struct AuthenticationCeremony {
  /// The request.
  package let request: AuthenticationRequest

  /// The ceremony of a request that was sent.
  package init(_ request: AuthenticationRequest) { self.request = request }

  /// Begins an authentication of any user.
  ///
  /// - Parameter transaction: What the user confirms; nil without a transaction.
  package init(_ header: OperationHeader, challenge: [UInt8], _ transaction: Transaction?, _ policy: Policy) {
    request = AuthenticationRequest(
      header: header, challenge: challenge, transactions: transaction.map { [$0] }, policy: policy)
  }

  /// The keys that the assertions of a response name. Nothing of them is verified: the relying party looks them up.
  package static func namedKeys(in received: ReceivedResponse) -> [(aaid: AAID, keyID: KeyID)] {
    received.response.assertions.compactMap { try? AuthenticationAssertion($0.octets) }.map { ($0.aaid, $0.keyID) }
  }

  /// Verifies the assertions of a response whose common parts were verified (section 3.5.7.5). An assertion that breaks a rule is
  /// skipped.
  ///
  /// - Parameter known: The keys that the response names, as far as they are registered. With an account in the request, those of
  ///   the account only.
  /// - Returns: The keys that authenticated, with their new counters.
  /// - Throws: `CeremonyError` of the first broken rule when no assertion is left.
  package func verify(
    _ received: ReceivedResponse, with known: [RegisteredKey]
  ) throws(CeremonyError) -> [RegisteredKey] {
    let hash = received.finalChallengeHash
    var firstRefusal: CeremonyError?
    var keys: [RegisteredKey] = []
    for encoded in received.response.assertions {
      do throws(CeremonyError) {
        let key = try verify(encoded, hash, known)
        let isKnown = keys.contains { $0.aaid == key.aaid && $0.keyID == key.keyID }
        guard !isKnown, keys.allSatisfy({ $0.userName.utf8.elementsEqual(key.userName.utf8) }) else {
          throw CeremonyError(.unacceptableContent, "the response has one key twice, or keys of two users")
        }
        keys.append(key)
      } catch {
        firstRefusal = firstRefusal ?? error
      }
    }
    if let firstRefusal, keys.isEmpty { throw firstRefusal }
    let candidates = keys.compactMap(\.candidate)
    guard candidates.count == keys.count, let chosen = request.policy.choice(among: candidates) else {
      throw CeremonyError(.unacceptableAuthenticator, "the policy does not accept the authenticators of the response")
    }
    return chosen.map { keys[$0] }
  }

  private func verify(
    _ encoded: EncodedAssertion, _ finalChallengeHash: [UInt8], _ known: [RegisteredKey]
  ) throws(CeremonyError) -> RegisteredKey {
    try encoded.checkSchemeAndExtensions()
    let assertion = try encoded.octets.reading(AuthenticationAssertion.init)
    guard AuthenticatorMetadata.model(assertion.aaid) != nil else {
      throw CeremonyError(.unknownAAID, "the AAID has no metadata")
    }
    guard constantTimeEqual(assertion.finalChallengeHash.span, finalChallengeHash.span) else {
      throw CeremonyError(.requestInvalid, "the hash in the assertion is not that of fcParams")
    }
    try verifyTransaction(assertion)
    guard var key = known.first(where: { $0.aaid == assertion.aaid && $0.keyID == assertion.keyID }) else {
      throw CeremonyError(.unknownKeyID, "the user has no such key")
    }
    guard assertion.signatureAlgorithm == key.signatureAlgorithm else {
      throw CeremonyError(.unacceptableAlgorithm, "the key was registered with another signature algorithm")
    }
    let publicKey = try key.publicKey.reading { (octets) throws(AssertionError) in
      try RegisteredPublicKey(octets, key.publicKeyEncoding)
    }
    guard publicKey.isValid(assertion.signature, assertion.signatureAlgorithm, over: assertion.signedOctets) else {
      throw CeremonyError(.unacceptableContent, "the signature is wrong")
    }
    // An authenticator that does not count sends 0 for ever (section 3.5.7.5).
    let counter = (stored: key.signatureCounter, new: assertion.signatureCounter)
    guard counter.stored == 0 && counter.new == 0 || counter.new > counter.stored else {
      throw CeremonyError(.unacceptableAuthenticator, "the counter of the authenticator did not increase")
    }
    key.signatureCounter = assertion.signatureCounter
    key.authenticatorVersion = assertion.authenticatorVersion
    return key
  }

  // The user confirms exactly what was offered: a bare authentication does not answer a request with a transaction.
  private func verifyTransaction(_ assertion: AuthenticationAssertion) throws(CeremonyError) {
    let offered = request.transactions ?? []
    switch assertion.mode {
    case .userVerified:
      guard offered.isEmpty else {
        throw CeremonyError(.unacceptableContent, "the transaction was not confirmed")
      }
    case .transactionConfirmed:
      guard offered.contains(where: { $0.hash == assertion.transactionHash }) else {
        throw CeremonyError(.unacceptableContent, "the confirmed transaction is not one of those offered")
      }
    }
  }
}

internal import AccessMessages
internal import FIDOUAF
internal import Octets
internal import ServerStore

/// The checks of the assertions of an authentication (FIDO UAF Protocol Specification 1.1, section 3.5.7.5).
struct AuthenticationChecks {
  let rules: Rules
  let request: AuthenticationRequest
  let finalChallengeHash: [UInt8]
  /// The account; nil: the account of the key.
  let account: String?

  /// The keys that authenticated, with their new counters. An assertion that breaks a rule is skipped.
  ///
  /// - Throws: `AccessError.uaf` of the first broken rule when no assertion is left.
  func accepted(_ encoded: [EncodedAssertion]) throws(AccessError) -> [CredentialRecord] {
    var firstRefusal: AccessError?
    var credentials: [CredentialRecord] = []
    for encoded in encoded {
      do throws(AccessError) {
        let credential = try check(encoded)
        let isKnown = credentials.contains { $0.aaid == credential.aaid && $0.keyID == credential.keyID }
        guard !isKnown, credentials.allSatisfy({ $0.account.hasSameOctets(as: credential.account) }) else {
          throw .uaf(.unacceptableContent, "the response has one key twice, or keys of two users")
        }
        credentials.append(credential)
      } catch {
        guard case .uaf = error else { throw error }
        firstRefusal = firstRefusal ?? error
      }
    }
    if let firstRefusal, credentials.isEmpty { throw firstRefusal }
    let candidates = credentials.compactMap(Self.candidate)
    guard candidates.count == credentials.count, let chosen = request.policy.choice(among: candidates) else {
      throw .uaf(.unacceptableAuthenticator, "the policy does not accept the authenticators of the response")
    }
    return chosen.map { credentials[$0] }
  }

  private static func candidate(_ credential: CredentialRecord) -> PolicyCandidate? {
    guard let aaid = AAID(credential.aaid), let metadata = AuthenticatorMetadata.model(aaid),
      let keyID = KeyID(credential.keyID)
    else { return nil }
    let algorithm = SignatureAlgorithm(rawValue: credential.signatureAlgorithm)
    return PolicyCandidate(metadata.authenticator(with: algorithm), keyIDs: [keyID])
  }

  private func check(_ encoded: EncodedAssertion) throws(AccessError) -> CredentialRecord {
    try encoded.checkSchemeAndExtensions()
    let assertion = try encoded.octets.reading(AuthenticationAssertion.init)
    guard AuthenticatorMetadata.model(assertion.aaid) != nil else {
      throw .uaf(.unknownAAID, "the AAID has no metadata")
    }
    guard constantTimeEqual(assertion.finalChallengeHash.span, finalChallengeHash.span) else {
      throw .uaf(.requestInvalid, "the hash in the assertion is not that of fcParams")
    }
    try checkTransaction(assertion)
    var credential = try registeredKey(assertion)
    guard assertion.signatureAlgorithm.rawValue == credential.signatureAlgorithm else {
      throw .uaf(.unacceptableAlgorithm, "the key was registered with another signature algorithm")
    }
    try checkSignature(assertion, credential)
    // An authenticator that does not count sends 0 for ever (section 3.5.7.5).
    let counter = (stored: credential.signatureCounter, new: assertion.signatureCounter)
    guard counter.stored == 0 && counter.new == 0 || counter.new > counter.stored else {
      throw .uaf(.unacceptableAuthenticator, "the counter of the authenticator did not increase")
    }
    credential.signatureCounter = assertion.signatureCounter
    credential.authenticatorVersion = assertion.authenticatorVersion
    credential.usedAt = rules.now
    return credential
  }

  private func registeredKey(_ assertion: AuthenticationAssertion) throws(AccessError) -> CredentialRecord {
    let credential = try rules.transaction.credential(
      aaid: assertion.aaid.description, keyID: assertion.keyID.octets)
    guard let credential, account.map({ $0.hasSameOctets(as: credential.account) }) ?? true else {
      throw .uaf(.unknownKeyID, "the user has no such key")
    }
    return credential
  }

  private func checkSignature(_ assertion: AuthenticationAssertion, _ credential: CredentialRecord) throws(AccessError)
  {
    let key = try credential.publicKey.reading { (octets) throws(AssertionError) in
      try RegisteredPublicKey(octets, PublicKeyEncoding(rawValue: credential.publicKeyEncoding))
    }
    guard key.isValid(assertion.signature, assertion.signatureAlgorithm, over: assertion.signedOctets) else {
      throw .uaf(.unacceptableContent, "the signature is wrong")
    }
  }

  // The user confirms exactly what was offered: a bare authentication does not answer a request with a transaction.
  private func checkTransaction(_ assertion: AuthenticationAssertion) throws(AccessError) {
    let offered = request.transactions ?? []
    switch assertion.mode {
    case .userVerified:
      guard offered.isEmpty else { throw .uaf(.unacceptableContent, "the transaction was not confirmed") }
    case .transactionConfirmed:
      guard offered.contains(where: { $0.hash == assertion.transactionHash }) else {
        throw .uaf(.unacceptableContent, "the confirmed transaction is not one of those offered")
      }
    }
  }
}

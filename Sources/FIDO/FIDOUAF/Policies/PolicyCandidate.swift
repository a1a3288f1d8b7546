/// An authenticator of a client with the keys that are registered for the application, as far as a policy may name them.
public struct PolicyCandidate: Hashable, Sendable {
  /// The authenticator.
  public var authenticator: AuthenticatorDescription
  /// The identifiers of its registered keys.
  public var keyIDs: Set<KeyID>

  /// Creates a candidate.
  public init(_ authenticator: AuthenticatorDescription, keyIDs: Set<KeyID> = []) {
    (self.authenticator, self.keyIDs) = (authenticator, keyIDs)
  }
}

extension MatchCriteria {
  /// Whether an authenticator meets all fields of the criterion (FIDO UAF Protocol Specification 1.1, section 3.1.11).
  ///
  /// An extension that must be known makes the criterion match nothing: this library knows none.
  public func matches(_ candidate: PolicyCandidate) -> Bool {
    let authenticator = candidate.authenticator
    return meets(aaids) { $0 == authenticator.aaid }
      && meets(vendorIDs) { $0.uppercased() == authenticator.aaid.vendorID }
      && meets(keyIDs) { candidate.keyIDs.contains($0) }
      && userVerification.map { authenticator.userVerification.meets(UserVerification(rawValue: $0)) } ?? true
      && keyProtection.map { $0 & authenticator.keyProtection.rawValue != 0 } ?? true
      && matcherProtection.map { $0 & authenticator.matcherProtection.rawValue != 0 } ?? true
      && attachmentHint.map { $0 & authenticator.attachmentHint.rawValue != 0 } ?? true
      && transactionDisplay.map { $0 & authenticator.transactionDisplay.rawValue != 0 } ?? true
      && meets(authenticationAlgorithms) { $0 == authenticator.authenticationAlgorithm.rawValue }
      && meets(assertionSchemes) { $0 == authenticator.assertionScheme }
      && meets(attestationTypes) { type in authenticator.attestationTypes.contains { $0.rawValue == type } }
      && authenticatorVersion.map { $0 <= authenticator.version } ?? true
      && !extensions.contains(where: \.failsIfUnknown)
  }

  private func meets<Element>(_ alternatives: [Element]?, _ isMet: (Element) -> Bool) -> Bool {
    alternatives?.contains(where: isMet) ?? true
  }
}

extension Policy {
  /// The alternatives that a client can satisfy, in the server's order of preference. An alternative is a list of
  /// candidates per criterion; each criterion needs an authenticator of its own.
  ///
  /// - Returns: Empty when no alternative can be satisfied: the client ends with `noSuitableAuthenticator`.
  public func alternatives(among candidates: [PolicyCandidate]) -> [[[PolicyCandidate]]] {
    let allowed = allowed(of: candidates)
    return accepted.filter { Self.assignment(of: allowed, to: $0[...], candidates) != nil }.map { criteria in
      criteria.map { criterion in allowed.map { candidates[$0] }.filter { criterion.matches($0) } }
    }
  }

  /// The candidates that satisfy the first alternative that can be satisfied: one for each criterion.
  ///
  /// - Returns: Indices of the candidates, in the order of the criteria; nil when no alternative can be satisfied.
  public func choice(among candidates: [PolicyCandidate]) -> [Int]? {
    let allowed = allowed(of: candidates)
    for criteria in accepted {
      if let chosen = Self.assignment(of: allowed, to: criteria[...], candidates) { return chosen }
    }
    return nil
  }

  private func allowed(of candidates: [PolicyCandidate]) -> [Int] {
    candidates.indices.filter { index in !disallowed.contains { $0.matches(candidates[index]) } }
  }

  // Criteria are few, so that trying all assignments is cheap; the limit keeps a hostile policy from making it expensive.
  private static func assignment(
    of indices: [Int], to criteria: ArraySlice<MatchCriteria>, _ candidates: [PolicyCandidate]
  ) -> [Int]? {
    guard let first = criteria.first else { return [] }
    guard criteria.count <= maximumCriteria else { return nil }
    for index in indices where first.matches(candidates[index]) {
      if let rest = assignment(of: indices.filter { $0 != index }, to: criteria.dropFirst(), candidates) {
        return [index] + rest
      }
    }
    return nil
  }

  /// The most criteria of one alternative that are considered.
  static let maximumCriteria = 8
}

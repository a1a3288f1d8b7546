internal import FIDOUAF

/// Which assertions of a response fulfil the policy of its request.
enum PolicyFulfilment {
  /// The assertions that fulfil the first alternative that can be fulfilled: one for each criterion.
  ///
  /// - Parameter candidates: The authenticators of the assertions, each with the key that signed.
  /// - Returns: Indices of the candidates, in the order of the criteria; nil when no alternative is fulfilled.
  static func indices(of candidates: [PolicyCandidate], fulfilling policy: Policy) -> [Int]? {
    let allowed = candidates.indices.filter { index in
      !policy.disallowed.contains { $0.matches(candidates[index]) }
    }
    for criteria in policy.accepted {
      if let chosen = assignment(of: allowed, to: criteria[...], candidates) { return chosen }
    }
    return nil
  }

  // Our own policies have one criterion for each alternative, and a response has few assertions.
  private static func assignment(
    of indices: [Int], to criteria: ArraySlice<MatchCriteria>, _ candidates: [PolicyCandidate]
  ) -> [Int]? {
    guard let first = criteria.first else { return [] }
    for index in indices where first.matches(candidates[index]) {
      if let rest = assignment(of: indices.filter { $0 != index }, to: criteria.dropFirst(), candidates) {
        return [index] + rest
      }
    }
    return nil
  }
}

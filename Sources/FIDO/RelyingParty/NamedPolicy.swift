package import FIDOUAF

/// A policy of the server: which models it accepts, in the order of its preference. Each model is an alternative of its own.
package struct NamedPolicy {
  /// The models.
  package let aaids: [AAID]

  /// The names of all policies.
  package static let names = ["default", "ios", "android"]

  private static let all = AuthenticatorMetadata.models.map(\.authenticator.aaid)
  private static let bySeries = [
    "ios": all.filter { $0.description.hasPrefix("F1D0#1") },
    "android": all.filter { $0.description.hasPrefix("F1D0#0") },
  ]

  /// Finds a policy by its name: `default` with all models, `ios` and `android` with those of one series. Nil for an unknown
  /// name.
  ///
  /// - Parameter name: The name; nil for the default.
  package init?(_ name: String?) {
    guard let name, name != "default" else {
      aaids = Self.all
      return
    }
    guard let series = Self.bySeries[name] else { return nil }
    aaids = series
  }

  /// The policy of a registration. Keys that are registered are disallowed, with a criterion for each model, since a
  /// criterion for several would exclude every model together with every key.
  package func registrationPolicy(excluding registered: [RegisteredKey]) -> Policy {
    Policy(accepted: aaids.map { [MatchCriteria(aaid: $0)] }, disallowed: Self.criteria(for: registered))
  }

  /// The policy of an authentication of a user: the registered keys, with an alternative for each model.
  ///
  /// - Returns: Nil when no key is of a model of this policy.
  package func authenticationPolicy(with registered: [RegisteredKey]) -> Policy? {
    let criteria = Self.criteria(for: registered)
    let accepted = aaids.flatMap { aaid in criteria.filter { $0.aaids == [aaid] }.map { [$0] } }
    return accepted.isEmpty ? nil : Policy(accepted: accepted)
  }

  /// The policy of an authentication of any user.
  package var openPolicy: Policy { Policy(accepted: aaids.map { [MatchCriteria(aaid: $0)] }) }

  private static func criteria(for keys: [RegisteredKey]) -> [MatchCriteria] {
    let models = Dictionary(grouping: keys, by: \.aaid).sorted { $0.key.description < $1.key.description }
    return models.map { aaid, keys in MatchCriteria(aaid: aaid, keyIDs: keys.map(\.keyID)) }
  }
}

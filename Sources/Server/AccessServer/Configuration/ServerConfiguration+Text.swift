internal import Documents
internal import EMVCard
internal import FIDOUAF
public import JSON
internal import ServerShell

extension ServerConfiguration {
  /// The configuration with its default values as JSON. Reading it gives this configuration again; keys that are not set and
  /// have no default value are left out. It contains no secret.
  public var json: JSONValue {
    JSONValue(
      members: [
        ("appID", applicationID.map { JSONValue($0) }), ("facets", facets.json),
        ("openRegistration", JSONValue(openRegistration)), ("policy", policy.map { JSONValue($0) }),
        ("url", url.map { JSONValue($0) }),
        ("origins", origins.isEmpty ? nil : JSONValue(origins.map { JSONValue($0) })),
        ("legacySignatures", legacySignatures.map { JSONValue($0) }), ("link", link.map { JSONValue($0) }),
        ("channelBinding", JSONValue(checksChannelBinding)), ("lifetimes", lifetimes.json),
        ("failures", failureLimits.json), ("connections", connections.json),
        ("trustedProxies", JSONValue(connections.trustedProxies.map { JSONValue($0.text) })),
        ("auditEntries", JSONValue(auditEntries)), ("appVersions", clientVersions?.json),
      ] + guards.members + wallets.requirements.members + issuer.members)
  }
}

extension ServerConfiguration.Facets {
  fileprivate var json: JSONValue {
    switch self {
    case .any: "*"
    case .listed(let facets): JSONValue(facets.map { JSONValue($0) })
    }
  }
}

extension ServerConfiguration.Lifetimes {
  fileprivate var json: JSONValue {
    [
      "request": JSONValue(request / 1_000), "outOfBandToken": JSONValue(outOfBandToken / 1_000),
      "authorization": JSONValue(authorization / 1_000), "registrationToken": JSONValue(registrationToken / 1_000),
      "status": JSONValue(status / 1_000),
    ]
  }
}

extension ServerConfiguration.FailureLimits {
  fileprivate var json: JSONValue {
    [
      "perAccount": JSONValue(perAccount), "perAddress": JSONValue(perAddress),
      "challengesPerAddress": JSONValue(challengesPerAddress), "operationsPerAddress": JSONValue(operationsPerAddress),
      "periodSeconds": JSONValue(period / 1_000),
    ]
  }
}

extension ConnectionLimits {
  fileprivate var json: JSONValue {
    [
      "requestSeconds": JSONValue(request / 1_000), "responseSeconds": JSONValue(response / 1_000),
      "perAddress": JSONValue(perAddress),
    ]
  }
}

extension IssuerConfiguration {
  fileprivate var members: [(String, JSONValue?)] {
    [
      // A profile that was read is valid JSON.
      ("cards", JSONValue(cards.compactMap { try? JSONValue(parsing: $0.profile.json) })),
      ("accountPrefix", JSONValue(accountPrefix)), ("uses", JSONValue(uses)), ("threshold", JSONValue(threshold)),
    ]
  }
}

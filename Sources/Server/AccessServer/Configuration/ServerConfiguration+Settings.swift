internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON
internal import ProcessGuard
internal import RelyingParty
internal import ServerShell

extension ServerConfiguration: Configurable {
  static let defaults = ServerConfiguration(facets: .listed([]), openRegistration: false)

  static let settings: [Setting<ServerConfiguration>] =
    ownSettings + GuardConfiguration.settings.map { $0.of(\.guards) }
    + WalletRequirements.settings.map { $0.of(\.wallets.requirements) }
    + IssuerConfiguration.settings.map { $0.of(\.issuer) }

  private static let ownSettings: [Setting<ServerConfiguration>] = [
    .text(
      ProfileKey(
        "appID", .text, range: 1...512,
        help: "The application identifier. Without it clients take their facet identifier.",
        source: "FIDO UAF 1.1, 3.1.3"), \.applicationID),
    facetSetting, openRegistrationSetting,
    .text(
      ProfileKey(
        "policy", .choice(NamedPolicy.names),
        help: "The policy of a request that names none. Without the key: `default`."), \.policy),
    urlSetting, originSetting, legacySignatureSetting,
    .text(
      ProfileKey(
        "link", .text, range: 1...2_048,
        help: "The base of links for out-of-band operations. Without the key: `/open`."), \.link),
    .flag(
      "channelBinding", \.checksChannelBinding,
      "Whether a response that is bound to another certificate is refused; false behind a proxy that ends TLS."),
    .object("lifetimes", \.lifetimes, "How long things are valid."),
    .object("failures", \.failureLimits, "The limits against guessing."),
    .object("connections", \.connections, "The limits of connections. A change needs a restart.").restarting,
    proxySetting,
    .number(
      "auditEntries", \.auditEntries, 1...1_000_000_000,
      "The most entries of the audit trail; the oldest are removed."),
    versionSetting,
  ]

  private static let facetSetting = {
    let key = ProfileKey(
      "facets", .wordOr("*", .list(.text, each: 1...512)),
      help: "The facet identifiers of the clients that are trusted, `*` for all. Required without --self-signed.",
      source: "FIDO AppID and Facets 1.1")
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.facets = facets(key.name, &reader, target.facets)
    } value: { target in
      switch target.facets {
      case .any: "*"
      case .listed(let facets): JSONValue(facets.map { JSONValue($0) })
      }
    }
  }()

  private static func facets(_ key: String, _ reader: inout ObjectReader, _ standard: Facets) -> Facets {
    guard let value = reader.value(key) else {
      if standard != .any { reader.refuse(key, "a list of facet identifiers or \"*\" is missing") }
      return standard
    }
    if value.text == "*" { return .any }
    let facets: [String]? = reader.read(key, isRequired: true, expected: "a list or \"*\"") { value, reader in
      value.list?.enumerated().compactMap { index, element in
        guard let facet = element.text, (1...512).contains(facet.count) else {
          reader.refuse("\(key)[\(index)]", "a facet identifier of 1 to 512 characters is needed")
          return nil
        }
        return facet
      }
    }
    return .listed(facets ?? [])
  }

  private static let openRegistrationSetting = {
    let key = ProfileKey(
      "openRegistration", .flag,
      help: "Whether a registration needs no authorization. Without the key: true with --self-signed, else false.")
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.openRegistration = reader.flag(key) ?? target.openRegistration
    } value: { target in
      JSONValue(target.openRegistration)
    }
  }()

  private static let urlSetting = {
    let key = ProfileKey(
      "url", .url, range: 9...2_048, help: "Where clients reach the server. Without the key: where it listens.")
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.url = reader.secureURL(key)
    } value: { target in
      target.url.map { JSONValue($0) }
    }
  }()

  private static let originSetting = {
    let key = ProfileKey(
      "origins", .list(.text),
      help: """
        The origins at which clients reach the server, such as `https://example.org:8443`; the first is printed, and is the one \
        for wallets. A signature of a device is accepted for these only. Without the key: that of `url`, and the names of the \
        certificate with the port. Required behind a proxy.
        """)
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.origins =
        reader.optionalList(key.name) { value, place, reader in
          guard let text = value.text, let origin = WebOrigin(url: text), origin.scheme == "https", origin.text == text,
            DeviceRequest.audienceRange.contains(text.count)
          else {
            reader.refuse(
              place,
              "an origin such as https://example.org:8443 is needed, in lower case, without path and without port 443")
            return nil
          }
          return text
        } ?? []
    } value: { target in
      target.origins.isEmpty ? nil : JSONValue(target.origins.map { JSONValue($0) })
    }
  }()

  private static let legacySignatureSetting = {
    let key = ProfileKey(
      "legacySignatures", .flag,
      help: """
        Whether signatures of devices without an audience are accepted, as older clients send them. Without the key: true in a \
        database that an older server has made, else false.
        """)
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.legacySignatures = reader.flag(key)
    } value: { target in
      target.legacySignatures.map { JSONValue($0) }
    }
  }()

  private static let proxySetting = {
    let key = ProfileKey(
      "trustedProxies", .list(.text),
      help:
        "The networks of proxies, such as `10.0.0.0/8`, whose Forwarded or X-Forwarded-For names the client. A change needs a restart."
    )
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.connections.trustedProxies =
        reader.optionalList(key.name) { value, place, reader in
          let network = value.text.flatMap { AddressNetwork($0) }
          if network == nil { reader.refuse(place, "a network such as 10.0.0.0/8 or 2001:db8::/32 is needed") }
          return network
        } ?? []
    } value: { target in
      JSONValue(target.connections.trustedProxies.map { JSONValue($0.text) })
    }.restarting
  }()

  private static let versionSetting = {
    let key = ProfileKey(
      "appVersions", .object(ClientVersions.keys), help: "The versions of the client for Linux.")
    return Setting<ServerConfiguration>(key: key) { reader, target in
      target.clientVersions = reader.object(key) { ClientVersions.read(&$0) }
    } value: { target in
      target.clientVersions.map { JSONValue(members: $0.settingValues) }
    }
  }()
}

extension ServerConfiguration.Lifetimes: Configurable {
  static let defaults = ServerConfiguration.Lifetimes()

  static let settings: [Setting<ServerConfiguration.Lifetimes>] = [
    .seconds("request", \.request, "A request of the protocol, in seconds."),
    .seconds("outOfBandToken", \.outOfBandToken, "A dispatched token, in seconds."),
    .seconds("authorization", \.authorization, "The authorization after an operation, in seconds."),
    .seconds("registrationToken", \.registrationToken, "A registration token, in seconds."),
    .seconds("status", \.status, "The status of an operation after its end, in seconds."),
  ]
}

extension ServerConfiguration.FailureLimits: Configurable {
  static let defaults = ServerConfiguration.FailureLimits()

  static let settings: [Setting<ServerConfiguration.FailureLimits>] = [
    .number(
      "perAccount", \.perAccount, 1...1_000_000, "The wrong passwords of an account from an address in a period."),
    .number(
      "perAddress", \.perAddress, 1...1_000_000,
      "The enrolments, recoveries and new names of an address in a period."),
    .number(
      "challengesPerAddress", \.challengesPerAddress, 1...1_000_000, "The open challenges of an address."),
    .number(
      "operationsPerAddress", \.operationsPerAddress, 1...10_000_000, "The stored operations of an address."),
    .seconds("periodSeconds", \.period, "The period."),
  ]
}

extension ConnectionLimits: Configurable {
  static let defaults = ConnectionLimits()

  static let settings: [Setting<ConnectionLimits>] = [
    .seconds("requestSeconds", \.request, in: 1...3_600, "The time for a whole request, in seconds."),
    .seconds("responseSeconds", \.response, in: 1...3_600, "The time in which a client takes a response, in seconds."),
    .number(
      "perAddress", \.perAddress, 1...1_000_000, "The open connections of an address; proxies are exempt."),
  ]
}

extension ClientVersions: Configurable {
  static let defaults = ClientVersions(minimum: "", latest: "", url: "")

  static let settings: [Setting<ClientVersions>] = [
    .requiredText("minimum", \.minimum, 1...64, "The lowest version that may be used."),
    .requiredText("latest", \.latest, 1...64, "The latest version."), urlSetting,
  ]

  private static let urlSetting = {
    let key = ProfileKey("url", .url, isRequired: true, range: 9...2_048, help: "Where the latest version is.")
    return Setting<ClientVersions>(key: key) { reader, target in
      target.url = reader.secureURL(key) ?? ""
    } value: { target in
      JSONValue(target.url)
    }
  }()
}

extension GuardConfiguration: Configurable {
  static let defaults = GuardConfiguration()

  static let settings = [tamperingSetting, refusalSetting]

  private static let tamperingSetting = {
    let key = ProfileKey(
      "onTampering", .choice(TamperingReaction.allCases.map(\.rawValue)),
      default: JSONValue(defaults.onTampering.rawValue),
      help: """
        What a sign of tampering with the server does: no request is answered, or the server ends without a reason. \
        --on-tampering comes first. A change needs a restart.
        """)
    return Setting<GuardConfiguration>(key: key) { reader, target in
      target.onTampering = reader.text(key).flatMap { TamperingReaction(rawValue: $0) } ?? target.onTampering
    } value: { target in
      JSONValue(target.onTampering.rawValue)
    }.restarting
  }()

  private static let refusalSetting = {
    let key = ProfileKey(
      "refuse", .list(.choice(Surrounding.allCases.map(\.rawValue))),
      help: "The surroundings in which the server does not run. --refuse comes first. A change needs a restart.")
    return Setting<GuardConfiguration>(key: key) { reader, target in
      target.refused =
        reader.optionalList(key.name) { value, place, reader in
          let kind = value.text.flatMap { Surrounding(rawValue: $0) }
          if kind == nil { reader.refuse(place, Surrounding.expectation) }
          return kind
        } ?? []
    } value: { target in
      JSONValue(target.refused.map { JSONValue($0.rawValue) })
    }.restarting
  }()
}

internal import AccessMessages
public import JSON

/// All problems of a configuration, each with its place.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one, in the order of the text.
  public let problems: [JSONProblem]

  init(_ problems: [JSONProblem]) { self.problems = problems }

  /// One problem a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension ServerConfiguration {
  /// The configuration of a server that makes its own certificate: all clients are trusted, and a registration needs no
  /// authorization.
  public static let selfSigned = ServerConfiguration(facets: .any, openRegistration: true)

  /// Reads a configuration. Every key is optional, except `facets` for a server with a certificate of its own.
  ///
  /// - `appID`: text, 1 to 512 characters.
  /// - `facets`: a list of facet identifiers, or `"*"` for all clients.
  /// - `openRegistration`: whether a registration needs no authorization.
  /// - `policy`: the policy of a request that names none: `default`, `ios` or `android`.
  /// - `url`: where clients reach the server. `link`: the base of links for out-of-band operations.
  /// - `channelBinding`: whether responses that are bound to another certificate than the server's are refused; true when it
  ///   is absent, false behind a proxy that ends TLS.
  /// - `lifetimes`: seconds of `request`, `outOfBandToken`, `authorization`, `registrationToken` and `status`.
  /// - `failures`: `perAccount`, `perAddress`, `challengesPerAddress`, `operationsPerAddress` and `periodSeconds`.
  /// - `connections`: `requestSeconds` and `responseSeconds`, 1 to 3 600, and `perAddress`, the most connections of an
  ///   address. `trustedProxies`: the networks of proxies, such as `10.0.0.0/8`, whose `Forwarded` or `X-Forwarded-For` is
  ///   read.
  /// - `auditEntries`: the most entries of the audit trail.
  /// - `appVersions`: `minimum`, `latest` and `url` of the client for Linux.
  /// - The keys of wallet access: see `WalletConfiguration`.
  /// - `cards`: profiles in the format `contactless-card/1`. `accountPrefix`: the first digits of account numbers.
  /// - `uses`: the payments of one delivery of keys. `threshold`: with so many payments left, keys are replenished.
  ///
  /// - Parameters:
  ///   - octets: JSON in UTF-8.
  ///   - isSelfSigned: Whether the defaults are those of `selfSigned`.
  /// - Throws: `ConfigurationError` with all problems. An unknown key is one.
  public init(json octets: [UInt8], isSelfSigned: Bool) throws(ConfigurationError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch {
      throw ConfigurationError([
        JSONProblem("", at: error.position, "expected \(error.expected), found \(error.found)")
      ])
    }
    var reader = ObjectReader(value)
    self = Self.read(&reader, isSelfSigned)
    let problems = reader.finish()
    guard problems.isEmpty else { throw ConfigurationError(problems) }
  }

  private static func read(_ reader: inout ObjectReader, _ isSelfSigned: Bool) -> ServerConfiguration {
    var configuration = ServerConfiguration(
      applicationID: reader.optionalText("appID", characters: 1...512), facets: facets(&reader, isSelfSigned),
      openRegistration: reader.flag("openRegistration", default: isSelfSigned))
    configuration.policy = reader.optionalChoice("policy", of: NamedPolicy.names.map { ($0, $0) })
    configuration.url = reader.secureURL("url")
    configuration.checksChannelBinding = reader.flag("channelBinding", default: true)
    configuration.link = reader.optionalText("link", characters: 1...2_048)
    configuration.lifetimes = reader.optionalObject("lifetimes") { lifetimes(&$0) } ?? Lifetimes()
    configuration.failureLimits = reader.optionalObject("failures") { failures(&$0) } ?? FailureLimits()
    configuration.connections = reader.optionalObject("connections") { connections(&$0) } ?? ConnectionLimits()
    configuration.connections.trustedProxies =
      reader.optionalList("trustedProxies") { value, place, reader in
        let network = value.text.flatMap { AddressNetwork($0) }
        if network == nil { reader.refuse(place, "a network such as 10.0.0.0/8 or 2001:db8::/32 is needed") }
        return network
      } ?? []
    configuration.auditEntries = reader.integer(
      "auditEntries", in: 1...1_000_000_000, default: configuration.auditEntries)
    configuration.wallets = WalletConfiguration(&reader)
    configuration.clientVersions = reader.optionalObject("appVersions") { reader in
      ClientVersions(
        minimum: reader.text("minimum", characters: 1...64), latest: reader.text("latest", characters: 1...64),
        url: reader.secureURL("url", isRequired: true) ?? "")
    }
    configuration.issuer = IssuerConfiguration(&reader)
    return configuration
  }

  private static func facets(_ reader: inout ObjectReader, _ isSelfSigned: Bool) -> Facets {
    guard let value = reader.value("facets") else {
      if isSelfSigned { return .any }
      reader.refuse("facets", "a list of facet identifiers or \"*\" is missing")
      return .listed([])
    }
    if value.text == "*" { return .any }
    let facets: [String]? = reader.read("facets", isRequired: true, expected: "a list or \"*\"") { value, reader in
      value.list?.enumerated().compactMap { index, element in
        guard let facet = element.text, (1...512).contains(facet.count) else {
          reader.refuse("facets[\(index)]", "a facet identifier of 1 to 512 characters is needed")
          return nil
        }
        return facet
      }
    }
    return .listed(facets ?? [])
  }

  private static func lifetimes(_ reader: inout ObjectReader) -> Lifetimes {
    var lifetimes = Lifetimes()
    lifetimes.request = reader.milliseconds("request", default: lifetimes.request)
    lifetimes.outOfBandToken = reader.milliseconds("outOfBandToken", default: lifetimes.outOfBandToken)
    lifetimes.authorization = reader.milliseconds("authorization", default: lifetimes.authorization)
    lifetimes.registrationToken = reader.milliseconds("registrationToken", default: lifetimes.registrationToken)
    lifetimes.status = reader.milliseconds("status", default: lifetimes.status)
    return lifetimes
  }

  private static func connections(_ reader: inout ObjectReader) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.request = Int64(reader.integer("requestSeconds", in: 1...3_600, default: 30)) * 1_000
    limits.response = Int64(reader.integer("responseSeconds", in: 1...3_600, default: 30)) * 1_000
    limits.perAddress = reader.integer("perAddress", in: 1...1_000_000, default: limits.perAddress)
    return limits
  }

  private static func failures(_ reader: inout ObjectReader) -> FailureLimits {
    var limits = FailureLimits()
    limits.perAccount = reader.integer("perAccount", in: 1...1_000_000, default: limits.perAccount)
    limits.perAddress = reader.integer("perAddress", in: 1...1_000_000, default: limits.perAddress)
    limits.challengesPerAddress = reader.integer(
      "challengesPerAddress", in: 1...1_000_000, default: limits.challengesPerAddress)
    limits.operationsPerAddress = reader.integer(
      "operationsPerAddress", in: 1...10_000_000, default: limits.operationsPerAddress)
    limits.period = reader.milliseconds("periodSeconds", default: limits.period)
    return limits
  }
}

extension ObjectReader {
  /// A duration in seconds, from a second to a year, in milliseconds.
  fileprivate mutating func milliseconds(_ key: String, default milliseconds: Int64) -> Int64 {
    Int64(integer(key, in: 1...31_536_000, default: Int(milliseconds / 1_000))) * 1_000
  }

  /// An https URL without a trailing slash; nil when it is absent or wrong.
  fileprivate mutating func secureURL(_ key: String, isRequired: Bool = false) -> String? {
    read(key, isRequired: isRequired, expected: "an https URL") { value, reader in
      guard let text = value.text else { return nil }
      guard text.hasPrefix("https://"), (9...2_048).contains(text.count), !text.hasSuffix("/") else {
        reader.refuse(key, "an https URL of at most 2048 characters without a slash at its end is needed")
        return nil
      }
      return text
    }
  }
}

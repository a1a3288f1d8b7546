internal import AccessMessages
public import Documents
internal import FIDOUAF
internal import JSON
internal import ServerShell

/// All problems of a configuration, each with its place.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one, in the order of the text.
  public let problems: [DocumentProblem]

  /// One problem a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }

  /// Reads a document and throws all problems that are found in it.
  static func reporting<Document>(
    in octets: [UInt8], _ read: (inout ObjectReader) -> Document
  ) throws(ConfigurationError) -> Document {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch {
      throw ConfigurationError(problems: [
        DocumentProblem("", at: error.position, "expected \(error.expected), found \(error.found)")
      ])
    }
    var reader = ObjectReader(value)
    let document = read(&reader)
    let problems = reader.finish()
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    return document
  }
}

extension ServerConfiguration {
  /// The configuration of a server that makes its own certificate: all clients are trusted, and a registration needs no
  /// authorization.
  public static let selfSigned = ServerConfiguration(facets: .any, openRegistration: true)

  /// Reads a configuration with the keys of `ConfigurationKeys`. Every key is optional, except `facets` for a server with a
  /// certificate of its own.
  ///
  /// - Parameters:
  ///   - octets: JSON in UTF-8.
  ///   - isSelfSigned: Whether the defaults are those of `selfSigned`.
  /// - Throws: `ConfigurationError` with all problems. An unknown key is one.
  public init(json octets: [UInt8], isSelfSigned: Bool) throws(ConfigurationError) {
    self = try ConfigurationError.reporting(in: octets) { Self.read(&$0, isSelfSigned) }
  }

  private static func read(_ reader: inout ObjectReader, _ isSelfSigned: Bool) -> ServerConfiguration {
    // An editor reads it.
    _ = reader.text(.schemaReference)
    var configuration = ServerConfiguration(
      applicationID: reader.text(ConfigurationKeys.appID), facets: facets(&reader, isSelfSigned),
      openRegistration: reader.flag(ConfigurationKeys.openRegistration) ?? isSelfSigned)
    configuration.policy = reader.text(ConfigurationKeys.policy)
    configuration.url = reader.secureURL(ConfigurationKeys.url)
    configuration.origins = origins(&reader)
    configuration.legacySignatures = reader.flag(ConfigurationKeys.legacySignatures)
    configuration.checksChannelBinding = reader.flag(ConfigurationKeys.channelBinding) ?? true
    configuration.link = reader.text(ConfigurationKeys.link)
    configuration.lifetimes = reader.object(ConfigurationKeys.lifetimes) { lifetimes(&$0) } ?? Lifetimes()
    configuration.failureLimits = reader.object(ConfigurationKeys.failures) { failures(&$0) } ?? FailureLimits()
    configuration.connections = reader.object(ConfigurationKeys.connections) { connections(&$0) } ?? ConnectionLimits()
    configuration.connections.trustedProxies = trustedProxies(&reader)
    configuration.auditEntries = reader.integer(ConfigurationKeys.auditEntries) ?? configuration.auditEntries
    configuration.guards = GuardConfiguration(&reader)
    configuration.wallets = WalletConfiguration(&reader)
    configuration.clientVersions = reader.object(ConfigurationKeys.appVersions) { reader in
      ClientVersions(
        minimum: reader.text(ConfigurationKeys.minimum) ?? "", latest: reader.text(ConfigurationKeys.latest) ?? "",
        url: reader.secureURL(ConfigurationKeys.clientURL) ?? "")
    }
    configuration.issuer = IssuerConfiguration(&reader)
    return configuration
  }

  private static func facets(_ reader: inout ObjectReader, _ isSelfSigned: Bool) -> Facets {
    let key = ConfigurationKeys.facets.name
    guard let value = reader.value(key) else {
      if isSelfSigned { return .any }
      reader.refuse(key, "a list of facet identifiers or \"*\" is missing")
      return .listed([])
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

  private static func origins(_ reader: inout ObjectReader) -> [String] {
    reader.optionalList(ConfigurationKeys.origins.name) { value, place, reader in
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
  }

  private static func trustedProxies(_ reader: inout ObjectReader) -> [AddressNetwork] {
    reader.optionalList(ConfigurationKeys.trustedProxies.name) { value, place, reader in
      let network = value.text.flatMap { AddressNetwork($0) }
      if network == nil { reader.refuse(place, "a network such as 10.0.0.0/8 or 2001:db8::/32 is needed") }
      return network
    } ?? []
  }

  private static func lifetimes(_ reader: inout ObjectReader) -> Lifetimes {
    var lifetimes = Lifetimes()
    lifetimes.request = reader.milliseconds(ConfigurationKeys.request)
    lifetimes.outOfBandToken = reader.milliseconds(ConfigurationKeys.outOfBandToken)
    lifetimes.authorization = reader.milliseconds(ConfigurationKeys.authorization)
    lifetimes.registrationToken = reader.milliseconds(ConfigurationKeys.registrationToken)
    lifetimes.status = reader.milliseconds(ConfigurationKeys.status)
    return lifetimes
  }

  private static func connections(_ reader: inout ObjectReader) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.request = reader.milliseconds(ConfigurationKeys.requestSeconds)
    limits.response = reader.milliseconds(ConfigurationKeys.responseSeconds)
    limits.perAddress = reader.integer(ConfigurationKeys.connectionsPerAddress) ?? limits.perAddress
    return limits
  }

  private static func failures(_ reader: inout ObjectReader) -> FailureLimits {
    var limits = FailureLimits()
    limits.perAccount = reader.integer(ConfigurationKeys.perAccount) ?? limits.perAccount
    limits.perAddress = reader.integer(ConfigurationKeys.perAddress) ?? limits.perAddress
    limits.challengesPerAddress =
      reader.integer(ConfigurationKeys.challengesPerAddress) ?? limits.challengesPerAddress
    limits.operationsPerAddress =
      reader.integer(ConfigurationKeys.operationsPerAddress) ?? limits.operationsPerAddress
    limits.period = reader.milliseconds(ConfigurationKeys.period)
    return limits
  }
}

extension ObjectReader {
  /// A declared duration in seconds, in milliseconds; a second when it is wrong.
  fileprivate mutating func milliseconds(_ key: ProfileKey) -> Int64 { Int64(integer(key) ?? 1) * 1_000 }

  /// A declared https URL without a trailing slash; nil when it is absent or wrong.
  fileprivate mutating func secureURL(_ key: ProfileKey) -> String? {
    let lengths = key.range ?? 0...Int.max
    return read(key.name, isRequired: key.isRequired, expected: "an https URL") { value, reader in
      guard let text = value.text else { return nil }
      guard text.hasPrefix("https://"), lengths.contains(text.count), !text.hasSuffix("/") else {
        reader.refuse(
          key.name, "an https URL of at most \(lengths.upperBound) characters without a slash at its end is needed")
        return nil
      }
      return text
    }
  }
}

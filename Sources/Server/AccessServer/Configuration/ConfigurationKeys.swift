public import Documents
public import JSON
internal import RelyingParty
internal import ServerShell

/// The declared keys of a configuration: the reader, the JSON Schema and the table of keys use them.
public enum ConfigurationKeys {
  /// All keys, in the order of the table.
  public static let all: [ProfileKey] =
    [.schemaReference, appID, facets, openRegistration, policy, url, origins, legacySignatures, link, channelBinding]
    + [lifetimes, failures, connections, trustedProxies, auditEntries, appVersions] + guardKeys + walletKeys
    + issuerKeys

  /// The keys as a table.
  public static var table: ProfileKeyTable { ProfileKeyTable(all) }
  /// The keys as a JSON Schema.
  public static var schema: JSONValue { ProfileKey.schema(of: all, title: "Configuration of tap-server") }

  static let appID = ProfileKey(
    "appID", .text, range: 1...512,
    help: "The application identifier. Without it clients take their facet identifier.",
    source: "FIDO UAF 1.1, 3.1.3")
  static let facets = ProfileKey(
    "facets", .wordOr("*", .list(.text, each: 1...512)),
    help: "The facet identifiers of the clients that are trusted, `*` for all. Required without --self-signed.",
    source: "FIDO AppID and Facets 1.1")
  static let openRegistration = ProfileKey(
    "openRegistration", .flag,
    help: "Whether a registration needs no authorization. Without the key: true with --self-signed, else false.")
  static let policy = ProfileKey(
    "policy", .choice(NamedPolicy.names), help: "The policy of a request that names none. Without the key: `default`.")
  static let url = ProfileKey(
    "url", .url, range: 9...2_048,
    help: "Where clients reach the server. Without the key: where it listens.")
  static let origins = ProfileKey(
    "origins", .list(.text),
    help: """
      The origins at which clients reach the server, such as `https://example.org:8443`; the first is printed, and is the one \
      for wallets. A signature of a device is accepted for these only. Without the key: that of `url`, and the names of the \
      certificate with the port. Required behind a proxy.
      """)
  static let legacySignatures = ProfileKey(
    "legacySignatures", .flag,
    help: """
      Whether signatures of devices without an audience are accepted, as older clients send them. Without the key: true in a \
      database that an older server has made, else false.
      """)
  static let link = ProfileKey(
    "link", .text, range: 1...2_048, help: "The base of links for out-of-band operations. Without the key: `/open`.")
  static let channelBinding = ProfileKey(
    "channelBinding", .flag, default: true,
    help: "Whether a response that is bound to another certificate is refused; false behind a proxy that ends TLS.")
  static let auditEntries = ProfileKey(
    "auditEntries", .integer, range: 1...1_000_000_000,
    default: JSONValue(ServerConfiguration(facets: .any, openRegistration: false).auditEntries),
    help: "The most entries of the audit trail; the oldest are removed.")
  static let trustedProxies = ProfileKey(
    "trustedProxies", .list(.text),
    help:
      "The networks of proxies, such as `10.0.0.0/8`, whose Forwarded or X-Forwarded-For names the client. A change needs a restart."
  )

  /// A duration in seconds, from a second to a year.
  private static func seconds(_ name: String, _ milliseconds: Int64, _ help: String) -> ProfileKey {
    ProfileKey(name, .integer, range: 1...31_536_000, default: JSONValue(milliseconds / 1_000), help: help)
  }

  // The defaults of the structures are those of the keys.
  private static let times = ServerConfiguration.Lifetimes()
  static let request = seconds("request", times.request, "A request of the protocol, in seconds.")
  static let outOfBandToken = seconds("outOfBandToken", times.outOfBandToken, "A dispatched token, in seconds.")
  static let authorization = seconds(
    "authorization", times.authorization, "The authorization after an operation, in seconds.")
  static let registrationToken = seconds(
    "registrationToken", times.registrationToken, "A registration token, in seconds.")
  static let status = seconds("status", times.status, "The status of an operation after its end, in seconds.")
  static let lifetimes = ProfileKey(
    "lifetimes", .object([request, outOfBandToken, authorization, registrationToken, status]),
    help: "How long things are valid.")

  private static let limits = ServerConfiguration.FailureLimits()
  static let perAccount = number(
    "perAccount", 1...1_000_000, limits.perAccount, "The wrong passwords of an account from an address in a period.")
  static let perAddress = number(
    "perAddress", 1...1_000_000, limits.perAddress,
    "The enrolments, recoveries and new names of an address in a period.")
  static let challengesPerAddress = number(
    "challengesPerAddress", 1...1_000_000, limits.challengesPerAddress, "The open challenges of an address.")
  static let operationsPerAddress = number(
    "operationsPerAddress", 1...10_000_000, limits.operationsPerAddress, "The stored operations of an address.")
  static let period = seconds("periodSeconds", limits.period, "The period.")
  static let failures = ProfileKey(
    "failures", .object([perAccount, perAddress, challengesPerAddress, operationsPerAddress, period]),
    help: "The limits against guessing.")

  private static let watch = ConnectionLimits()
  static let requestSeconds = number(
    "requestSeconds", 1...3_600, Int(watch.request / 1_000), "The time for a whole request, in seconds.")
  static let responseSeconds = number(
    "responseSeconds", 1...3_600, Int(watch.response / 1_000),
    "The time in which a client takes a response, in seconds.")
  static let connectionsPerAddress = number(
    "perAddress", 1...1_000_000, watch.perAddress, "The open connections of an address; proxies are exempt.")
  static let connections = ProfileKey(
    "connections", .object([requestSeconds, responseSeconds, connectionsPerAddress]),
    help: "The limits of connections. A change needs a restart.")

  static let minimum = ProfileKey(
    "minimum", .text, isRequired: true, range: 1...64, help: "The lowest version that may be used.")
  static let latest = ProfileKey("latest", .text, isRequired: true, range: 1...64, help: "The latest version.")
  static let clientURL = ProfileKey(
    "url", .url, isRequired: true, range: 9...2_048, help: "Where the latest version is.")
  static let appVersions = ProfileKey(
    "appVersions", .object([minimum, latest, clientURL]), help: "The versions of the client for Linux.")
}

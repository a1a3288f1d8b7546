public import AccessMessages
public import FIDOUAF
internal import RelyingParty
public import ServerShell

/// How the server behaves.
public struct ServerConfiguration: Hashable, Sendable {
  /// Which clients may use the keys of the application.
  public enum Facets: Hashable, Sendable {
    /// All clients.
    case any
    /// The clients with these facet identifiers.
    case listed([String])
  }

  /// How long things are valid, in milliseconds.
  public struct Lifetimes: Hashable, Sendable {
    /// A request of the protocol: 540 s. A client waits for its user for at most 480 s, and both messages take their time.
    public var request: Int64 = 540_000
    /// A dispatched token.
    public var outOfBandToken: Int64 = 300_000
    /// The authorization after a registration or an authentication.
    public var authorization: Int64 = 900_000
    /// A registration token: one day.
    public var registrationToken: Int64 = 86_400_000
    /// The status of an operation, after the operation: one hour.
    public var status: Int64 = 3_600_000

    /// The default lifetimes.
    public init() {}
  }

  /// The limits against guessing.
  public struct FailureLimits: Hashable, Sendable {
    /// The wrong passwords of one account in one period, after which further ones are refused. They are counted for each
    /// address, and on a linked device for that device.
    public var perAccount = 20
    /// The enrolments of one address in one period, its recoveries, and the new names that it registers without an
    /// authorization, after which further ones are refused.
    public var perAddress = 100
    /// The challenges that may wait for responses of one address. Further requests for one are refused.
    public var challengesPerAddress = 10_000
    /// The operations that may be stored for one address. An operation is kept for an hour after its end.
    public var operationsPerAddress = 100_000
    /// The period, in milliseconds.
    public var period: Int64 = 300_000

    /// The default limits.
    public init() {}
  }

  /// The application identifier, at most 512 characters. Nil: clients take their facet identifier.
  public var applicationID: String?
  /// Which clients may use the keys.
  public var facets: Facets
  /// Whether a registration needs no authorization.
  public var openRegistration: Bool
  /// The name of the policy of a request that names none: `default`, `ios` or `android`; nil: `default`.
  public var policy: String?
  /// The URL of the server without a path. Nil: the address that the server listens on.
  public var url: String?
  /// The origins at which clients reach the server, such as `https://example.org:8443`. The first one is printed and comes
  /// before `url`. Empty: that of `url`, and the hosts of the certificate with the port that the server listens on.
  public var origins: [String] = []
  /// Whether signatures of devices without an audience are accepted. Nil: in databases of older servers only.
  public var legacySignatures: Bool?
  /// The hosts of the server's certificate, as they stand in a URL.
  public var certificateHosts: [String] = []
  /// The base of links for out-of-band operations; nil: `/open` of the server.
  public var link: String?
  /// The versions of the client for Linux.
  public var clientVersions: ClientVersions?
  /// How long things are valid.
  public var lifetimes = Lifetimes()
  /// The limits against guessing.
  public var failureLimits = FailureLimits()
  /// The limits of connections, and the proxies in front of the server.
  public var connections = ConnectionLimits()
  /// The most entries of the audit trail. The oldest ones are removed when the server removes what has expired.
  public var auditEntries = 1_000_000
  /// How the server behaves as the issuer of wallets.
  public var wallets = WalletConfiguration()
  /// The binding to connections of this server. A response that is bound to another certificate is refused. A response
  /// without a binding is accepted, and `tlsUnique` and `cid_pubkey` are ignored: TLS 1.3 has neither. Nil: bindings are not
  /// checked.
  public var channelBinding: ChannelBinding?
  /// The bindings to certificates that this server has replaced, as long as their challenges can be open.
  var formerChannelBindings: [FormerChannelBinding] = []
  /// Whether a server that knows its certificate sets `channelBinding`. False behind a proxy that ends TLS.
  public var checksChannelBinding = true

  /// What the program does about tampering with it.
  public var guards = GuardConfiguration()
  /// How the issuer makes cards and delivers keys.
  public var issuer = IssuerConfiguration()

  /// Creates a configuration.
  public init(applicationID: String? = nil, facets: Facets, openRegistration: Bool) {
    (self.applicationID, self.facets, self.openRegistration) = (applicationID, facets, openRegistration)
  }

  /// The clients and connections from which responses are accepted.
  ///
  /// - Parameter now: The moment, in milliseconds since 1970.
  func acceptedClients(at now: Int64) -> AcceptedClients {
    let trusted: [String]? =
      switch facets {
      case .any: nil
      case .listed(let facets): facets
      }
    let held = formerChannelBindings.filter { $0.heldUntil > now }.map(\.binding)
    return AcceptedClients(facets: trusted, channelBindings: channelBinding.map { [$0] + held })
  }
}

/// The binding to a certificate that the server has replaced.
struct FormerChannelBinding: Hashable, Sendable {
  let binding: ChannelBinding
  /// Until when responses with it are accepted, in milliseconds since 1970.
  let heldUntil: Int64
}

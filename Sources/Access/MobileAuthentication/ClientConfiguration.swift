public import AccessMessages
internal import FIDOUAF

/// How an application uses the client.
public struct ClientConfiguration: Sendable {
  /// The facet identifier of the application (FIDO AppID and Facet Specification 1.1), 1 to 512 characters.
  public var facetID: String
  /// The version of the application, which its server learns with the first registration.
  public var applicationVersion: String
  /// Origins of servers whose out-of-band messages are accepted, besides those of the registered accounts.
  public var servers: [String]
  /// Which identifiers the authenticators have.
  public var profile: AuthenticatorProfile
  /// The version of the servers; nil for the newest. It decides on the algorithms of new keys.
  public var serverVersion: DottedVersion?
  /// Whether answers contain the certificate that the server presented on the TLS connection (FIDO UAF Protocol
  /// Specification 1.1, section 3.1.7). Without it, answers have an empty channel binding, as those of the Nevis SDK.
  public var bindsToChannel: Bool
  /// The limits of one exchange with a server.
  public var exchange: HTTPLimits
  /// The limits and the cost of PIN and password.
  public var secrets: SecretAuthenticator.Settings
  /// The versions of applications whose first registration a server cannot serve with pending operations.
  public var versionsWithoutPendingOperations: Set<String>

  /// Creates a configuration with the defaults of the Nevis Mobile Authentication SDK: 60 s for an exchange, 240 s for the answers of an operation.
  ///
  /// - Parameter name: The name of the application, of which the default facet identifier is made.
  public init(name: String, version: String = MetaData.mobileAuthenticationVersion, servers: [String] = []) {
    facetID = MetaData.applicationFacetID(name)
    applicationVersion = version
    self.servers = servers
    profile = .ios
    serverVersion = nil
    bindsToChannel = true
    exchange = HTTPLimits()
    secrets = .standard
    // The documentation of the SDK names 3.6.0 and 3.6.1 in its heading, and 3.6.1 and 3.6.2 in its text.
    versionsWithoutPendingOperations = ["3.6.0", "3.6.1", "3.6.2"]
  }
}

extension ClientConfiguration {
  /// The algorithms of new keys, the preferred one first. The authenticators of iOS have ECDSA only. Servers before 7.2411
  /// have metadata of the Android authenticators that need RSA, and later ones may still have them.
  var algorithms: [AuthenticatorAlgorithm] {
    switch profile {
    case .ios: return [.ecdsa]
    case .android:
      guard let serverVersion, let first = DottedVersion("7.2411"), serverVersion < first else {
        return [.ecdsa, .rsa]
      }
      return [.rsa]
    }
  }
}

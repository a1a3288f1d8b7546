/// What a server returns (FIDO UAF Application API and Transport Binding 1.1, section 4.1). Open: a server may return others.
public struct UAFStatusCode: RawRepresentable, Hashable, Sendable {
  /// The number, such as 1200.
  public let rawValue: Int
  /// Creates a code.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The operation is complete.
  public static let ok = UAFStatusCode(rawValue: 1200)
  /// The message was accepted and is processed.
  public static let accepted = UAFStatusCode(rawValue: 1202)
  /// The message is not valid.
  public static let badRequest = UAFStatusCode(rawValue: 1400)
  /// The user must be authenticated first.
  public static let unauthorized = UAFStatusCode(rawValue: 1401)
  /// The operation is forbidden.
  public static let forbidden = UAFStatusCode(rawValue: 1403)
  /// The resource does not exist.
  public static let notFound = UAFStatusCode(rawValue: 1404)
  /// The time is up.
  public static let requestTimeout = UAFStatusCode(rawValue: 1408)
  /// The AAID is unknown.
  public static let unknownAAID = UAFStatusCode(rawValue: 1480)
  /// The key is unknown; the client should delete it.
  public static let unknownKeyID = UAFStatusCode(rawValue: 1481)
  /// The channel binding is refused.
  public static let channelBindingRefused = UAFStatusCode(rawValue: 1490)
  /// The challenge is unknown, expired or already used.
  public static let requestInvalid = UAFStatusCode(rawValue: 1491)
  /// The authenticator is not acceptable.
  public static let unacceptableAuthenticator = UAFStatusCode(rawValue: 1492)
  /// The authenticator is revoked.
  public static let revokedAuthenticator = UAFStatusCode(rawValue: 1493)
  /// The key is not acceptable.
  public static let unacceptableKey = UAFStatusCode(rawValue: 1494)
  /// The algorithm is not acceptable.
  public static let unacceptableAlgorithm = UAFStatusCode(rawValue: 1495)
  /// The attestation is not acceptable.
  public static let unacceptableAttestation = UAFStatusCode(rawValue: 1496)
  /// The capabilities of the client are not acceptable.
  public static let unacceptableClientCapabilities = UAFStatusCode(rawValue: 1497)
  /// The content of the message is not acceptable.
  public static let unacceptableContent = UAFStatusCode(rawValue: 1498)
  /// An internal error.
  public static let internalError = UAFStatusCode(rawValue: 1500)
}

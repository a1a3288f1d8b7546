internal import JOSE
internal import Octets
internal import ServerStore

/// One request in one transaction of the store.
struct RequestScope {
  /// The store.
  let transaction: AccessTransaction
  /// The moment of the request, in milliseconds since 1970.
  let now: Int64
  /// What does not change between requests.
  let environment: ServerEnvironment
  /// The address of the client.
  let address: String
}

/// What all requests share.
struct ServerEnvironment: Sendable {
  /// How the server behaves.
  let configuration: ServerConfiguration
  /// The source of challenges, tokens and identifiers.
  let random: any RandomSource
  /// The digest of the operator's token; nil: there is no operator.
  let operatorToken: TokenDigest?
  /// The key from which the questions of user names that do not exist are derived.
  let walletKey: [UInt8]
  /// When the database was restored from a copy last, in milliseconds since 1970; nil when it never was.
  let restoredAt: Int64?
  /// The URL at which the server listens.
  let listeningURL: ServerURL
  /// Whether the database was made by a server that accepts no signature of a device without an audience.
  let requiresAudience: Bool
  /// How many more records clients may have before they are counted again.
  let allowances = CountAllowances()

  /// The URL of the server without a path.
  var url: String { configuration.printedURL(listeningAt: listeningURL.text) }

  /// A random token that cannot be guessed: 256 bits in base64url.
  func newToken() -> String { random.octets(32).base64URL }
}

/// The rules of one feature, for one request in one transaction. What several features need is here.
///
/// What a rule wrote before it refuses the request is kept: a rule checks everything before it writes what the request asks
/// for.
protocol RequestRules: SendableMetatype {
  /// The request.
  var scope: RequestScope { get }

  /// Creates the rules for a request.
  init(scope: RequestScope)
}

extension RequestRules {
  var transaction: AccessTransaction { scope.transaction }
  var now: Int64 { scope.now }
  var environment: ServerEnvironment { scope.environment }
  var address: String { scope.address }
  var configuration: ServerConfiguration { environment.configuration }
  /// The keys of the server.
  var keys: ServerKeys { ServerKeys(transaction: transaction) }

  /// A random identifier: 127 bits in base64url. It begins with a letter, since the first bit is zero: a command line takes
  /// a word that begins with a hyphen for an option.
  func newIdentifier() -> String {
    var octets = environment.random.octets(16)
    octets[0] &= 0x7F
    return octets.base64URL
  }

  /// Adds an entry to the audit trail.
  func audit(
    _ event: AuditEvent, _ result: String, account: String? = nil, device: String? = nil, sessionID: String? = nil
  ) throws(AccessError) {
    try transaction.save(
      AuditEntry(
        at: now, event: event.rawValue, result: result, account: account, device: device, sessionID: sessionID,
        address: address))
  }
}

extension AccessTransaction {
  /// Adds an entry about the server itself, which no client caused.
  func audit(_ event: AuditEvent, _ result: String, at now: Int64) throws(AccessError) {
    try save(AuditEntry(at: now, event: event.rawValue, result: result))
  }
}

/// The events of the audit trail.
enum AuditEvent: String, CaseIterable {
  case registration, authentication, deregistration, dispatch, redemption
  case targetAdded, targetChanged, targetRemoved, credentialRemoved
  case userAdded, userTokenMade, deviceStateChanged, wrongToken, operatorLogin, operatorLogout
  case enrolment, walletLogin, walletLogout, question, recovery, biometrics, deviceLinked, deviceUnlinked, deviceMoved
  case profileChanged
  case cardAdded, keysDelivered, cardStateChanged, payment
  case scriptOrdered, scriptCancelled, scriptsSent
  case keysRotated, restored
}

public import AccessMessages
internal import JOSE
internal import JSON
public import Octets
public import ServerShell
public import ServerStore
internal import Synchronization

/// The URL at which clients reach the server. It is known when the server listens, since the system may choose the port.
public final class ServerURL: Sendable {
  private let value: Mutex<String>

  /// Creates a URL.
  public init(_ url: String = "") { value = Mutex(url) }

  /// The URL without a path.
  public var text: String { value.withLock { $0 } }

  /// Sets the URL.
  public func set(_ url: String) { value.withLock { $0 = url } }
}

/// Sends a push message to a device. The shipped sender does nothing: the device polls the list of its pending operations.
public protocol PushSender: Sendable {
  /// Sends a payload to a push token.
  ///
  /// - Throws: Any error, which becomes the result `dispatchError`.
  func send(_ payload: OutOfBandPayload, to pushToken: String) async throws
}

/// A sender for devices that poll.
public struct PolledPush: PushSender {
  /// Creates a sender.
  public init() {}

  /// Does nothing: the dispatched operation is in the store.
  public func send(_ payload: OutOfBandPayload, to pushToken: String) async throws {}
}

/// The server without its network: answers requests from a store.
public struct AccessService: AccessResponding {
  /// How the server behaves.
  public var configuration: ServerConfiguration { environment.configuration }
  let store: any AccessStore
  private let clock: any WallClock
  // An object: a copy of the configuration for each request would count the references of all its lists and texts.
  private(set) var environment: ServerEnvironment
  /// When the copy was made that this start has found in place of the database. Its tokens, sessions and challenges were ended,
  /// and it has new keys. Nil when the database is no copy.
  public let copiedAt: WallTime?
  let hashing: SecretHashing
  let pushSender: any PushSender
  /// Receives the failure of the store that a request has met.
  public var onStoreFailure: @Sendable (AccessStoreError) -> Void = { _ in }

  /// Creates a service. At the first start it makes the key of its authorizations and the master keys of
  /// its issuer.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - configuration: How the server behaves.
  ///   - url: The URL at which it listens; `ServerConfiguration.url` comes first.
  ///   - operatorToken: The token of the operator; nil: there is no operator.
  ///   - pushSender: Sends push messages.
  ///   - hashing: Hashes the secrets of wallets.
  /// - Throws: `AccessStoreError`.
  public init(
    store: any AccessStore, configuration: ServerConfiguration, url: ServerURL, operatorToken: String?,
    pushSender: any PushSender = PolledPush(), clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(), hashing: SecretHashing = SecretHashing()
  ) async throws(AccessStoreError) {
    (self.store, self.clock, self.pushSender, self.hashing) = (store, clock, pushSender, hashing)
    let moment = clock.now.epochMilliseconds
    let newWalletKey = random.octets(32)
    let found = try await store.maintain { transaction throws(AccessError) in
      let requiresAudience = try ServerEnvironment.requiresAudience(transaction, at: moment)
      try ServerKeys(transaction: transaction).prepare(random, at: moment)
      let copy = RestoredCopy(transaction: transaction)
      return (
        copiedAt: try copy.end(random, at: moment), restoredAt: try copy.restoredAt(),
        walletKey: try Self.setting("walletKey", newWalletKey, transaction), requiresAudience: requiresAudience
      )
    }
    copiedAt = found.copiedAt
    environment = ServerEnvironment(
      configuration: configuration, random: random, operatorToken: operatorToken.map { TokenDigest(of: $0) },
      walletKey: found.walletKey, restoredAt: found.restoredAt, listeningURL: url,
      requiresAudience: found.requiresAudience)
    try await foldNames()
    _ = try await removeExpired()
  }

  /// The value of a setting, which is set to a new value when the server starts for the first time.
  private static func setting(
    _ name: String, _ new: [UInt8], _ transaction: AccessTransaction
  ) throws(AccessError) -> [UInt8] {
    if let known = try transaction.setting(name) { return known }
    try transaction.set(name, to: new)
    return new
  }

  /// Replaces the configuration and the token of the operator. Records are counted again, since the limits may be lower.
  mutating func replace(_ configuration: ServerConfiguration, operatorToken: String?) {
    environment = ServerEnvironment(
      configuration: configuration, random: environment.random,
      operatorToken: operatorToken.map { TokenDigest(of: $0) }, walletKey: environment.walletKey,
      restoredAt: environment.restoredAt, listeningURL: environment.listeningURL,
      requiresAudience: environment.requiresAudience)
  }

  /// The moment, in milliseconds since 1970.
  var now: Int64 { clock.now.epochMilliseconds }

  /// Removes what has expired, and the oldest entries of an audit trail that is longer than `auditEntries`. The program
  /// calls it from time to time. Each transaction removes at most `AccessTransaction.cleaningSlice` records, so that requests
  /// do not wait for all of them.
  ///
  /// - Returns: How many records were removed.
  public func removeExpired() async throws(AccessStoreError) -> Int {
    let (moment, kept) = (now, configuration.auditEntries)
    let expired = try await store.maintain(.read) { transaction throws(AccessError) in
      try transaction.expired(before: moment, keepingAuditEntries: kept, cardAttempts: RecordLimits.cardAttempts)
    }
    var count = 0
    while true {
      let removed = try await store.maintain { transaction throws(AccessError) in
        try transaction.removeSlice(of: expired)
      }
      count += removed
      guard removed == AccessTransaction.cleaningSlice else { return count }
    }
  }
}

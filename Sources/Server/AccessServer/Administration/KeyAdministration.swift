internal import JOSE
public import JSON
public import Octets
public import ServerStore

/// What an operator does with the keys of a server, directly in its database, whether a server runs on it or not.
///
/// The key behind the questions of unknown users is not rotated: the question of an unknown name would change, while that of a
/// user stays, which reveals which names exist.
public struct KeyAdministration: Sendable {
  /// Keys that are rotated together.
  public enum Kind: String, Sendable, CaseIterable {
    /// The key that signs authorizations.
    case authorization
    /// The three master keys of the issuer: cryptograms, codes and scripts.
    case issuer

    fileprivate var purposes: [KeyGenerationRecord.Purpose] {
      self == .authorization ? [.authorization] : KeyGenerationRecord.Purpose.issuer
    }
  }

  /// A generation of keys.
  public struct Generation: Hashable, Sendable {
    /// Which keys.
    public let kind: Kind
    /// The number, from 1.
    public let number: Int
    /// When it was made, in milliseconds since 1970; 0 when an older server made it.
    public let createdAt: Int64
    /// Until when what was made with it is accepted, in milliseconds since 1970; nil for the newest one.
    public let acceptedUntil: Int64?
    /// The public key of authorizations as JWK, with the number as `kid`; nil for the issuer.
    public let publicKey: JSONValue?
  }

  private let store: any AccessStore
  private let clock: any WallClock
  private let random: any RandomSource

  /// Creates an administration of a store.
  public init(
    store: any AccessStore, clock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandomSource()
  ) { (self.store, self.clock, self.random) = (store, clock, random) }

  /// Makes a new generation of keys. Servers use it from their next request on, and cards from their next replenishment on.
  ///
  /// - Parameters:
  ///   - kind: Which keys.
  ///   - seconds: How long what was made with the former ones is accepted: 0 or more. Authorizations end then.
  /// - Returns: The number of the new generation.
  public func rotate(_ kind: Kind, acceptedFor seconds: Int) async throws(AccessStoreError) -> Int {
    let now = clock.now.epochMilliseconds
    let moment = now + Int64(seconds) * 1_000
    return try await store.maintain { [random] transaction throws(AccessError) in
      let number = try ServerKeys(transaction: transaction).rotate(
        kind.purposes, acceptingUntil: moment, random, at: now)
      if kind == .authorization { try transaction.endAuthorizations(at: moment) }
      try transaction.audit(.keysRotated, "\(kind.rawValue) \(number)", at: now)
      return number
    }
  }

  /// The generations of all keys, the oldest first.
  public func generations() async throws(AccessStoreError) -> [Generation] {
    try await store.maintain(.read) { transaction throws(AccessError) in
      var generations: [Generation] = []
      for kind in Kind.allCases {
        for key in try transaction.keyGenerations(kind.purposes[0]) {
          generations.append(
            Generation(
              kind: kind, number: key.generation, createdAt: key.createdAt, acceptedUntil: key.acceptedUntil,
              publicKey: kind == .authorization ? try ServerKeys.softwareKey(key).publicKey.json : nil))
        }
      }
      return generations
    }
  }

  /// Marks the database as a restored copy: the next start of a server ends tokens, sessions and challenges, and gives every
  /// card a new generation of keys.
  public func markRestored() async throws(AccessStoreError) {
    let now = clock.now.epochMilliseconds
    try await store.maintain { transaction throws(AccessError) in
      try transaction.markCopy(at: now)
    }
  }
}

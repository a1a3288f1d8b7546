internal import Octets
public import ServerShell
public import ServerStore

extension AccessService: ObservedService {
  /// How many hashes of secrets wait to be computed.
  public var waitingHashes: Int { hashing.waitingCount }

  /// Writes one record of the store: a database that only reads, or is locked, answers every question.
  ///
  /// - Returns: The failure of the store; nil when the record is durable.
  public func storeFailure() async -> AccessStoreError? {
    let moment = UInt64(bitPattern: now).bigEndianOctets
    do throws(AccessStoreError) {
      try await store.maintain { transaction throws(AccessError) in
        try transaction.set("lastReadinessCheck", to: moment)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Counts the challenges that wait for a response; nil when the store fails.
  public func openChallenges() async -> Int? {
    let moment = now
    return try? await store.read { transaction throws(AccessError) in
      try transaction.challengeCount(at: moment)
    }
  }
}

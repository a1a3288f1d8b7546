internal import AccessMessages
internal import Foundation
public import Octets
internal import Synchronization

/// Hashes passwords, PINs and answers on threads of its own: scrypt takes too long for the cooperative thread pool and for a
/// transaction of the store.
///
/// As many hashes as there are processors are computed at a time. When `maximumWaiting` computations wait, further ones are
/// refused, so that logins cannot exhaust the memory.
public final class SecretHashing: Sendable {
  /// How much a hash costs.
  public enum Cost: Sendable {
    /// The cost of a server.
    case standard
    /// A cost that protects nothing, for tests.
    case minimal
  }

  /// The most computations that wait.
  static let maximumWaiting = 256

  private let queue = OperationQueue()
  private let waiting = Atomic(0)
  private let random: any RandomSource
  private let cost: Cost

  /// Creates the threads.
  public init(_ cost: Cost = .standard, random: any RandomSource = SystemRandomSource()) {
    (self.cost, self.random) = (cost, random)
    queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    queue.name = "hashes of secrets"
  }

  /// Hashes a secret.
  ///
  /// - Throws: `AccessFailure` with code `unavailable` when too many computations wait.
  func hash(_ secret: String, as parameters: SaltedHash.Parameters) async throws(AccessFailure) -> String {
    let parameters = adapted(parameters)
    return try await compute { [random] in SaltedHash(of: secret, parameters, random: random).stored }
  }

  /// Compares a secret with a stored hash.
  ///
  /// - Parameters:
  ///   - stored: The hash; nil for a user who does not exist. The computation is made all the same, so that the time of
  ///     the response does not differ.
  ///   - parameters: The parameters of hashes of this kind.
  /// - Returns: Whether the secret is right; false without a hash.
  /// - Throws: `AccessFailure` with code `unavailable` when too many computations wait.
  func matches(
    _ secret: String, _ stored: SaltedHash?, as parameters: SaltedHash.Parameters
  ) async throws(AccessFailure) -> Bool {
    let parameters = adapted(parameters)
    return try await compute { [random] in
      guard let stored else {
        _ = SaltedHash(of: secret, parameters, random: random)
        return false
      }
      return stored.matches(secret)
    }
  }

  private func adapted(_ parameters: SaltedHash.Parameters) -> SaltedHash.Parameters {
    switch cost {
    case .standard: parameters
    case .minimal: SaltedHash.Parameters(cost: SaltedHash.Parameters.costs.lowerBound, parallelism: 1)
    }
  }

  private func compute<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(AccessFailure) -> Value {
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
      waiting.subtract(1, ordering: .relaxed)
      throw AccessFailure(.unavailable, "too many logins at a time: try again")
    }
    defer { waiting.subtract(1, ordering: .relaxed) }
    return await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume(returning: body()) }
    }
  }
}

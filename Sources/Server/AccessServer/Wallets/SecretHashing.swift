internal import AccessMessages
internal import Foundation
public import Octets
internal import ServerShell
internal import ServerStore
internal import Synchronization

/// Hashes passwords, PINs and answers on threads of its own: scrypt takes too long for the cooperative thread pool and for a
/// transaction of the store.
///
/// At most half of the processors compute hashes, so that other requests are answered meanwhile. Computations of one address
/// wait behind each other, and behind one computation of each other address. When too many wait, those of the address with the
/// most are refused, so that logins cannot exhaust the memory and few addresses cannot refuse the logins of others.
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
  /// The most computations of one address that wait.
  static let maximumWaitingPerAddress = 32

  private let queue = OperationQueue()
  private let waiting = Mutex(FairQueue())
  private let random: any RandomSource
  private let cost: Cost

  /// Creates the threads.
  public init(_ cost: Cost = .standard, random: any RandomSource = SystemRandomSource()) {
    (self.cost, self.random) = (cost, random)
    queue.maxConcurrentOperationCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    queue.name = "hashes of secrets"
  }

  /// How many computations wait.
  var waitingCount: Int { waiting.withLock { $0.count } }

  /// Hashes a secret.
  ///
  /// - Throws: A refusal with code `tooManyFailures` when too many computations wait.
  func hash(
    _ secret: String, as parameters: SaltedHash.Parameters, for address: String
  ) async throws(AccessError) -> String {
    let parameters = adapted(parameters)
    return try await compute(for: address) { [random] in SaltedHash(of: secret, parameters, random: random).stored }
  }

  /// Compares a secret with a stored hash.
  ///
  /// - Parameters:
  ///   - stored: The hash; nil for a user who does not exist. The computation is made all the same, so that the time of
  ///     the response does not differ.
  ///   - parameters: The parameters of hashes of this kind.
  /// - Returns: Whether the secret is right; false without a hash.
  /// - Throws: A refusal with code `tooManyFailures` when too many computations wait.
  func matches(
    _ secret: String, _ stored: SaltedHash?, as parameters: SaltedHash.Parameters, for address: String
  ) async throws(AccessError) -> Bool {
    let parameters = adapted(parameters)
    return try await compute(for: address) { [random] in
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
    for address: String, _ body: @escaping @Sendable () -> Value
  ) async throws(AccessError) -> Value {
    let address = NetworkAddress.counted(address)
    let result: Value? = await withCheckedContinuation { continuation in
      let computation = FairQueue.Computation(
        run: { continuation.resume(returning: body()) }, refuse: { continuation.resume(returning: nil) })
      let refused = waiting.withLock { $0.append(computation, of: address) }
      refused?.refuse()
      // Each operation runs the computation whose turn it is, which may be another one.
      queue.addOperation { [self] in waiting.withLock { $0.next() }?.run() }
    }
    guard let result else {
      throw .refused(.tooManyFailures, "too many logins wait: try again in 5 s", retryAfter: 5)
    }
    return result
  }
}

/// Computations that wait, in a queue for each address. The addresses take turns.
struct FairQueue {
  struct Computation {
    let run: @Sendable () -> Void
    let refuse: @Sendable () -> Void
  }

  private var computations: [String: [Computation]] = [:]
  /// The addresses with computations, the next one first.
  private var turns: [String] = []
  /// How many computations wait.
  private(set) var count = 0

  /// Adds a computation.
  ///
  /// - Returns: The computation that must be refused because too many wait: this one, or the last one of the address with
  ///   the most.
  mutating func append(_ computation: Computation, of address: String) -> Computation? {
    let own = computations[address, default: []].count
    guard own < SecretHashing.maximumWaitingPerAddress else { return computation }
    var refused: Computation?
    if count == SecretHashing.maximumWaiting {
      let longest = computations.max { $0.value.count < $1.value.count }
      guard let longest, longest.value.count > own + 1 else { return computation }
      refused = computations[longest.key]?.removeLast()
      count -= 1
    }
    if own == 0 { turns.append(address) }
    computations[address, default: []].append(computation)
    count += 1
    return refused
  }

  /// Removes and returns the next computation; nil when none waits.
  mutating func next() -> Computation? {
    guard !turns.isEmpty else { return nil }
    let address = turns.removeFirst()
    guard var own = computations[address], !own.isEmpty else { return nil }
    let computation = own.removeFirst()
    computations[address] = own.isEmpty ? nil : own
    if !own.isEmpty { turns.append(address) }
    count -= 1
    return computation
  }
}

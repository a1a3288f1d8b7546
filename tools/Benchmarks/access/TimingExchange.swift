import AccessMessages
import AccessServer
import ServerShell
import ServerStore
import Synchronization

/// A server in the same process whose time per operation is kept. The time of the client is not part of it.
final class TimingExchange: HTTPExchange {
  /// All operations of one name.
  struct Result {
    let name: String
    /// The microseconds of each operation, sorted.
    let microseconds: [Double]
    /// The committed transactions of one operation.
    let transactions: Int

    var mean: Double { microseconds.reduce(0, +) / Double(microseconds.count) }

    /// - Parameter percent: 0 to 100.
    func percentile(_ percent: Int) -> Double {
      microseconds[min(microseconds.count * percent / 100, microseconds.count - 1)]
    }
  }

  private struct State {
    var current = Duration.zero
    var firstTransaction = 0
    var samples: [String: [Double]] = [:]
    var transactions: [String: Int] = [:]
  }

  private let service: AccessService
  private let transactions: CommittedTransactions
  private let state = Mutex(State())

  init(service: AccessService, transactions: CommittedTransactions) {
    (self.service, self.transactions) = (service, transactions)
  }

  /// Begins an operation of several requests.
  func begin() {
    let count = transactions.count
    state.withLock { ($0.current, $0.firstTransaction) = (.zero, count) }
  }

  /// Keeps the time of the operation that was begun last.
  func end(_ name: String) {
    let count = transactions.count
    state.withLock { state in
      state.samples[name, default: []].append(
        Double(state.current.components.attoseconds) / 1e12
          + Double(state.current.components.seconds) * 1e6)
      state.transactions[name] = count - state.firstTransaction
    }
  }

  /// What was measured of an operation that has ended at least once.
  func result(_ name: String) -> Result {
    state.withLock { state in
      Result(
        name: name, microseconds: (state.samples[name] ?? []).sorted(), transactions: state.transactions[name] ?? 0)
    }
  }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let begun = ContinuousClock.now
    let response = await service.respond(
      to: AccessRequest(
        request.method.rawValue, request.url,
        headers: request.fields.map { (name: $0.name.lowercased(), value: $0.value) }, body: request.body,
        address: "192.0.2.1"))
    let time = ContinuousClock.now - begun
    state.withLock { $0.current += time }
    return HTTPResponse(
      status: response.status, fields: response.headers.map { HTTPField($0.name, $0.value) }, body: response.body)
  }
}

/// The number of transactions that a store has committed.
final class CommittedTransactions: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  func add() { value.add(1, ordering: .relaxed) }
}

/// A store whose writing transactions are counted.
struct CountingStore: AccessStore {
  let base: any AccessStore
  let transactions = CommittedTransactions()

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value { try await base.read(body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
  ) async throws(AccessError) -> Value {
    defer { transactions.add() }
    return try await base.write(body)
  }
}

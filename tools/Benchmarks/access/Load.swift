import AccessMessages
import AccessServer
import Documents
import FIDOUAF
import HTTPSTransport
import JSON
import Octets
import Synchronization

/// Clients that ask a server for registration requests over TLS, each on a connection of its own, one request after the other.
struct Load {
  /// What a server answered in one run.
  struct Result {
    let requests: Int
    let seconds: Double
    /// The processor time of the process, clients included. Unlike `seconds` it hardly depends on other processes.
    let processorSeconds: Double

    var perSecond: Double { Double(requests) / seconds }
    /// The processor time of a request in microseconds.
    var processorMicroseconds: Double { processorSeconds * 1e6 / Double(requests) }
  }

  struct Refused: Error {
    let status: Int
  }

  private let url: String
  private let transports: [HTTPSTransport]

  /// Opens the connections.
  init(_ server: LoadedServer, clients: Int) throws {
    url = server.url
    transports = try (0..<clients).map { _ in try HTTPSTransport(trust: .authorities(file: server.authority)) }
  }

  /// Sends requests for some time.
  func run(for time: Duration) async throws -> Result {
    // The first request of a client opens its connection.
    _ = try await send(until: .now)
    let (begun, used) = (ContinuousClock.now, ProcessorTime.ofProcess())
    let count = try await send(until: begun + time)
    let elapsed = (ContinuousClock.now - begun).components
    return Result(
      requests: count, seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18,
      processorSeconds: ProcessorTime.ofProcess() - used)
  }

  private func send(until end: ContinuousClock.Instant) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, transport) in transports.enumerated() {
        let request = Self.request(url, account: "user \(number)")
        group.addTask {
          var count = 0
          repeat {
            let response = try await transport.send(request)
            guard response.status == 200 else { throw Refused(status: response.status) }
            count += 1
          } while ContinuousClock.now < end
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func request(_ url: String, account: String) -> HTTPRequest {
    let context = RequestContext(userName: account).json.compact
    return HTTPRequest(
      .post, url + AccessPath.registrationRequest,
      fields: [HTTPField("Content-Type", MediaType.uaf), HTTPField("Accept", MediaType.uaf)],
      body: Array(GetUAFRequest(.registration, context: context).json.compact.utf8))
  }
}

import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Testing

@Suite("The metrics of a server")
struct ServerMetricsTests {
  let registry = PrometheusRegistry()

  func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> TestServer {
    var server = try await TestServer(change)
    server.observation = ServerObservation(log: LogSearch.all.log, metrics: ServerMetrics(registry))
    return server
  }

  /// The values of a metric by its labels.
  func values(_ name: String) -> [String: Double] {
    let lines = registry.text.split(separator: "\n").filter { $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ") }
    return Dictionary(
      lines.map { line in
        let end = line.lastIndex(of: " ") ?? line.endIndex
        let labels = line[..<end].dropFirst(name.count).dropFirst().dropLast()
        return (String(labels), Double(line[end...].dropFirst()) ?? .nan)
      }
    ) { $0 + $1 }
  }

  @Test func `requests are counted by route and status, refusals by code`() async throws {
    let server = try await server()
    for _ in 0..<3 { _ = try await server.send("GET", "/app-versions/linux") }
    _ = try await server.send("GET", "/operator/v1/audit")
    _ = try await server.request(.authentication, RequestContext(userName: "alice"))
    #expect(
      values("tap_server_requests_total") == [
        #"route="GET /app-versions/linux",status="200""#: 3, #"route="GET /operator/v1/audit",status="401""#: 1,
        #"route="POST /nevisfido/uaf/1.1/request/authentication",status="200""#: 1,
      ])
    #expect(values("tap_server_refusals_total") == [#"code="unauthorized""#: 1, #"code="1404""#: 1])
    #expect(values("tap_server_request_duration_seconds_count")[#"route="GET /app-versions/linux""#] == 3)
  }

  @Test func `paths and methods that the server does not have are one route`() async throws {
    let server = try await server()
    for number in 0..<50 {
      _ = try await server.send("GET", "/path/\(number)")
      _ = try await server.send("M\(number)", "/app-versions/linux")
      _ = try await server.send("GET", "/operator/v1/users/user\(number)/devices/x\(number)/y")
    }
    #expect(
      values("tap_server_requests_total") == [
        #"route="unknown",status="404""#: 100, #"route="unknown",status="405""#: 50,
      ])
  }

  @Test func `a device that is unlinked by wrong PINs, and guesses without end, are lockouts`() async throws {
    let server = try await server { $0.failureLimits.perAccount = 3 }
    let device = try TestWalletDevice()
    try await server.link(device)
    #expect(values("tap_server_lockouts_total").values.allSatisfy { $0 == 0 })
    for _ in 0..<5 { _ = try await server.logIn(password: "wrong password 1", by: device) }
    #expect(values("tap_server_lockouts_total")[#"kind="password""#] == 2)
    for _ in 0..<server.service.configuration.wallets.requirements.pinAttempts {
      _ = try await server.logIn(.pin("0000"), by: device)
    }
    #expect(values("tap_server_lockouts_total")[#"kind="pin""#] == 1)
    let codes = values("tap_server_refusals_total")
    #expect(codes[#"code="tooManyFailures""#] == 2 && codes[#"code="deviceUnlinked""#] == 1)
  }

  @Test func `a store reports its commits, its repetitions and its connections`() async throws {
    let observation = ServerMetrics(registry).storeObservation
    observation.committed(3, .milliseconds(4))
    observation.committed(100, .seconds(20))
    observation.repeated()
    observation.reconnected()
    let writes = values("tap_server_flush_writes_bucket")
    #expect(writes[#"le="2""#] == 0 && writes[#"le="4""#] == 1 && writes[#"le="128""#] == 2)
    #expect(values("tap_server_flush_duration_seconds_sum")[""] == 20.004)
    #expect(values("tap_server_flush_duration_seconds_bucket")[#"le="0.005""#] == 1)
    #expect(values("tap_server_database_repetitions_total")[""] == 1)
    #expect(values("tap_server_database_reconnects_total")[""] == 1)
  }

  @Test func `open challenges are those that wait for a response`() async throws {
    let server = try await server()
    let health = ServerHealth(server.service, server.observation)
    server.observation.readiness.set(.serving)
    for name in ["alice", "bob"] { _ = try await server.registrationRequest(name) }
    await health.updateMetrics()
    #expect(values("tap_server_open_challenges")[""] == 2)
    #expect(values("tap_server_ready")[""] == 1 && values("tap_server_waiting_hashes")[""] == 0)
    server.advance(seconds: 541)
    await health.updateMetrics()
    #expect(values("tap_server_open_challenges")[""] == 0)
  }

  @Test func `the hash queue is the number of computations that wait`() async throws {
    let server = try await server()
    let service = try await AccessService(
      store: server.store, configuration: server.service.configuration, url: ServerURL("https://server.test"),
      operatorToken: nil, hashing: SecretHashing(.standard))
    let health = ServerHealth(service, server.observation)
    // More than there are threads that compute; each takes some hundredths of a second.
    let logins = (0..<32).map { number in
      Task { try await service.hashing.hash("secret \(number)", as: .short, for: "192.0.2.1") }
    }
    while service.hashing.waitingCount == 0 { await Task.yield() }
    await health.updateMetrics()
    #expect((1...32).contains(try #require(values("tap_server_waiting_hashes")[""])))
    for login in logins { _ = try await login.value }
    await health.updateMetrics()
    #expect(values("tap_server_waiting_hashes")[""] == 0)
  }

  @Test func `open connections and those that are refused are counted`() async throws {
    let observation = ServerObservation(log: LogSearch.all.log, metrics: ServerMetrics(registry))
    try await NetworkTests.serving(observation) { url, transport in
      _ = try await transport.send(HTTPRequest(.get, url + AccessPath.linuxVersions))
      #expect(values("tap_server_open_connections")[""] == 1)
    }
    #expect(values("tap_server_open_connections")[""] == 0)
    #expect(values("tap_server_requests_total") == [#"route="GET /app-versions/linux",status="200""#: 1])
  }
}

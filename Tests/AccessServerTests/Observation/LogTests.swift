import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
import Synchronization
import TestSupport
import Testing

/// The lines of a log of a test.
final class CollectedLog: Sendable {
  private let collected = Mutex<[String]>([])

  var lines: [String] { collected.withLock { $0 } }

  func log(_ format: ServerLog.Format = .json, from level: ServerLog.Level = .debug) -> ServerLog {
    let moment = WallTime(seconds: 1_800_000_000, milliseconds: 7)
    return ServerLog(format, from: level, clock: ManualWallClock(at: moment)) { [self] line in
      collected.withLock { $0.append(line) }
    }
  }

  /// The members of the only line.
  func members() throws -> [String: JSONValue] {
    try #require(lines.count == 1)
    return try LogLine(lines[0]).members
  }
}

@Suite("The log of a server")
struct LogTests {
  let log = CollectedLog()

  func server(_ format: ServerLog.Format = .json, from level: ServerLog.Level = .debug) async throws -> TestServer {
    var server = try await TestServer()
    server.observation = ServerObservation(log: log.log(format, from: level))
    return server
  }

  @Test func `a request is one line of JSON with time, level, identifier, route, status, duration and address`()
    async throws
  {
    _ = try await server().send("GET", "/app-versions/linux?token=x")
    let members = try log.members()
    #expect(
      members.keys.sorted() == ["address", "level", "message", "requestId", "route", "seconds", "status", "time"])
    #expect(members["time"] == "2027-01-15T08:00:00.007Z")
    #expect(members["level"] == "info" && members["message"] == "request")
    #expect(members["route"] == "GET /app-versions/linux")
    #expect(members["status"] == 200 && members["address"] == "192.0.2.1")
    #expect(try #require(members["seconds"]?.number) > 0)
  }

  @Test func `the identifier of a refused request is in its header, its body and its line`() async throws {
    let (response, json) = try await server().send("GET", "/operator/v1/audit")
    let identifier = try #require(response.headers.first { $0.name == "x-request-id" }?.value)
    #expect(identifier.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    #expect(json["requestId"]?.text == identifier && json["code"] == "unauthorized")
    let members = try log.members()
    #expect(members["requestId"]?.text == identifier && members["refusal"] == "unauthorized")
  }

  @Test func `each request has another identifier, whatever its client sends`() async throws {
    let server = try await server()
    var identifiers: Set<String> = []
    for _ in 0..<10 {
      let response = try await server.send(
        "GET", "/app-versions/linux", headers: [(name: "x-request-id", value: "mine")]
      ).response
      identifiers.formUnion(response.headers.filter { $0.name == "x-request-id" }.map(\.value))
    }
    #expect(identifiers.count == 10 && !identifiers.contains("mine"))
  }

  @Test(arguments: [
    ("DELETE", "/wallet/v1/devices/secret-device", "DELETE /wallet/v1/devices/*"),
    ("GET", "/secret-path", "unknown"), ("SECRET", "/app-versions/linux", "unknown"), ("GET", "/%zz", "unknown"),
  ])
  func `the route of a line is the pattern of the path, and unknown without one`(
    _ method: String, _ path: String, _ route: String
  ) async throws {
    _ = try await server().send(method, path)
    #expect(try log.members()["route"]?.text == route)
    #expect(!log.lines[0].lowercased().contains("secret"))
  }

  @Test func `an operation of FIDO UAF that fails has its status code as the refusal`() async throws {
    let context = RequestContext(userName: "nobody")
    #expect(try await server().request(.authentication, context).body?.status.rawValue == 1_404)
    #expect(try log.members()["refusal"] == "1404")
  }

  @Test func `a line of text is for people`() async throws {
    _ = try await server(.text).send("GET", "/app-versions/linux")
    let expected =
      /2027-01-15T08:00:00\.007Z info request address=192\.0\.2\.1 requestId=[0-9a-f]{32} route="GET \/app-versions\/linux" seconds=[0-9.e-]+ status=200/
    #expect(log.lines.count == 1 && log.lines[0].wholeMatch(of: expected) != nil, "\(log.lines)")
  }

  @Test func `a line cannot begin another one`() {
    log.log().warning("first\nsecond\u{1B}[2J")
    log.log(.text).warning("first\nsecond\u{1B}[2J")
    #expect(log.lines.count == 2 && log.lines.allSatisfy { !$0.contains("\n") && !$0.contains("\u{1B}") })
  }

  @Test func `requests are not logged above their level, and an error of the server is`() async throws {
    let server = try await server(from: .warning)
    _ = try await server.send("GET", "/app-versions/linux")
    #expect(log.lines == [])
    let store = FailingStore(base: server.store)
    var failing = try await server.serving(store)
    store.stop()
    failing.observation = server.observation
    for _ in 0..<3 {
      #expect(
        try await failing.send("GET", "/operator/v1/audit", headers: TestServer.operatorBearer).response.status == 503)
    }
    let messages = try log.lines.map { try LogLine($0).members["message"]?.text }
    // The same failure is reported once, each request once.
    #expect(messages == ["the store failed: the test has stopped the store", "request", "request", "request"])
  }

  @Test(arguments: [
    (WallTime(seconds: -1), "1970-01-01T00:00:00.000Z"),
    (WallTime(seconds: 0, milliseconds: 999), "1970-01-01T00:00:00.999Z"),
    (WallTime(seconds: 1 << 40, milliseconds: 50), "9999-12-31T23:59:59.050Z"),
  ])
  func `a moment is written as RFC 3339`(_ moment: WallTime, _ text: String) { #expect(moment.rfc3339 == text) }
}

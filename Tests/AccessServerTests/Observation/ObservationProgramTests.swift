import AccessMessages
import Foundation
import HTTPSTransport
import JSON
import TestSupport
import Testing

@Suite("tap-server with --metrics", .blocks, .timeLimit(.minutes(20)))
struct ObservationProgramTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func server(_ further: [String] = [], settings: String = "") throws -> RunningServer {
    try RunningServer(in: scratch.directory.path, ["--metrics", "127.0.0.1:0"] + further, settings: settings)
  }

  private func get(_ url: String) throws -> (status: Int, body: String) {
    let run = try ProgramRun("curl", ["--silent", "--max-time", "20", "--write-out", "%{http_code}", url])
    _ = try run.finish()
    // Each body ends with a line feed.
    let lines = run.output.split(separator: "\n")
    return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
  }

  @Test func `metrics and health are on an address of their own, which the first line names`() throws {
    let server = try server()
    let base = try #require(server.metricsURL)
    #expect(base.hasPrefix("http://127.0.0.1:") && base != server.url)
    #expect(try server.run("check").code == 0)
    #expect(try get(base + "/health/live") == (200, #"{"live": true}"#))
    #expect(try get(base + "/health/ready") == (200, #"{"ready": true, "problems": []}"#))
    let metrics = try get(base + "/metrics").body
    #expect(
      metrics.contains(#"tap_server_requests_total{route="GET /app-versions/linux",status="200"} 1"#), "\(metrics)")
    #expect(metrics.contains("\ntap_server_ready 1\n") && metrics.contains("\ntap_server_open_challenges 0\n"))
    #expect(try get(base + "/else").status == 404)
  }

  @Test func `without the option there are no metrics, and the first line names none`() throws {
    let server = try RunningServer(in: scratch.directory.path)
    #expect(server.metricsURL == nil)
  }

  @Test func `each commit of the database is in the metrics`() throws {
    let server = try server()
    for name in ["alice", "bob"] { #expect(try server.run("user", "add", name).code == 0) }
    let metrics = try get(try #require(server.metricsURL) + "/metrics").body
    let count = try #require(metrics.firstMatch(of: /\ntap_server_flush_duration_seconds_count (\d+)/)?.1)
    #expect(try #require(Int(count)) >= 3, "\(metrics)")
  }

  @Test func `promtool accepts the metrics of a server`() throws {
    let server = try server()
    #expect(try server.run("check").code == 0)
    #expect(try server.run("user", "add", "").code != 0)
    let base = try #require(server.metricsURL)
    let file = try scratch.write("metrics", get(base + "/metrics").body + "\n")
    let promtool = SchemathesisTests.root + "/.build/promtool"
    let run = try ProgramRun("sh", ["-c", "\"$0\" check metrics < \"$1\"", promtool, file])
    #expect(try run.finish() == .exited(0), "\(run.output)\(run.errors)")
    #expect(run.output + run.errors == "")
  }

  @Test func `a server without its database lives, and is not ready`() throws {
    let server = try server()
    let base = try #require(server.metricsURL)
    try FileManager.default.removeItem(atPath: server.database)
    let (status, body) = try get(base + "/health/ready")
    #expect(status == 503 && body.contains(#""part": "database", "reason": "#), "\(body)")
    #expect(body.contains("was removed or replaced"), "\(body)")
    #expect(try get(base + "/health/live").status == 200)
    #expect(try get(base + "/metrics").body.contains("\ntap_server_ready 0\n"))
  }

  @Test func `a server that ends is not ready, while it still answers open requests`() async throws {
    let plan = try scratch.write("slow.json", #"{"faults": [{"fault": "slow", "milliseconds": 600000}]}"#)
    let server = try server(["--faults", plan])
    let base = try #require(server.metricsURL)
    let (exchange, url) = (try server.exchange(), server.url)
    let response = Task { try await exchange.send(HTTPRequest(.get, url + AccessPath.linuxVersions)) }
    try #require(try await server.process.meets { $0.errors.contains("fault: slow") }, "\(server.process.errors)")
    #expect(try get(base + "/health/ready").status == 200)
    server.process.signal(SIGTERM)
    try #require(try await server.process.meets { $0.errors.contains("the server ends") })
    let (status, body) = try get(base + "/health/ready")
    #expect(status == 503 && body.contains(#"{"part": "server", "reason": "the server ends"}"#), "\(body)")
    #expect(try await server.process.meets { $0.poll() == .exited(0) })
    await #expect(throws: HTTPExchangeError.self) { try await response.value }
    #expect(try get(base + "/health/live").status == 0)
  }

  @Test func `an address of metrics that is in use is an error that names it, and nothing is served`() throws {
    let first = try server()
    let address = try #require(first.metricsURL).replacing("http://", with: "")
    let second = try CommandRun([
      "--listen", "127.0.0.1:0", "--database", "memory", "--self-signed", first.identity, "--metrics", address,
    ])
    #expect(second.code == 1 && second.output == "")
    #expect(
      second.errors.contains(
        "error: \(address) is in use by another program; name another port, or 0 for any free one\n"))
  }

  @Test func `scrapers that do not read are closed, hold no memory, and do not delay the end`() async throws {
    let server = try server()
    let base = try #require(server.metricsURL)
    #expect(try server.run("check").code == 0)
    let port = try #require(base.split(separator: ":").last)
    // Further connections of an address are closed at once.
    let first = try ProgramRun("/usr/bin/python3", ["-c", Self.scrapers, String(port), "20"])
    try #require(try await first.meets { $0.output.contains("ready") }, "\(first.errors)")
    #expect(try server.run("check").code == 0)
    #expect(try await first.meets { $0.output.contains("closed") })
    #expect(try get(base + "/health/ready").status == 200)
    #expect(try memory(of: server) < 100)
    let second = try ProgramRun("/usr/bin/python3", ["-c", Self.scrapers, String(port), "8"])
    try #require(try await second.meets { $0.output.contains("ready") }, "\(second.errors)")
    let start = ContinuousClock.now
    server.process.signal(SIGTERM)
    #expect(try await server.process.meets { $0.poll() == .exited(0) }, "\(server.process.errors)")
    // Less than the 5 s after which the scrapers would be closed all the same.
    #expect(ContinuousClock.now - start < .seconds(4))
  }

  /// The memory of a server that is not shared with files, in MB.
  private func memory(of server: RunningServer) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(server.process.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) / 1_024
  }

  /// Clients that send requests until the server takes no more, and read no response.
  private static let scrapers = """
    import select, socket, sys
    port, count = int(sys.argv[1]), int(sys.argv[2])
    requests = b"GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" * 100
    clients = []
    for _ in range(count):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port))
        client.settimeout(0.2)
        clients.append(client)
    for client in clients:
        try:
            for _ in range(400):
                client.sendall(requests)
        except OSError:
            pass
    print("ready", flush=True)
    poll = select.poll()
    for client in clients:
        poll.register(client.fileno(), select.POLLRDHUP)
    left = len(clients)
    while left > 0:
        for descriptor, _ in poll.poll():
            poll.unregister(descriptor)
            left -= 1
    print("closed", flush=True)
    """
}
